import { chmodSync, chownSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { Fid } from '../../../lib/core/fid.ts';
import type { ServiceTypeName } from '../../../lib/core/ids.ts';
import { secondMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import { FoundService, QuestionAnswer } from '../../../lib/services/view-routes.ts';
import type { ServiceKeeper } from '../services/keeper.ts';
import { Lookup, Question, ReportByService } from '../services/said.ts';
import type { Lives } from './born.ts';
import type { Answer, ProcessKeeper } from './keeper.ts';

/** The socket in the agent's folder on which launchers call. */
export const socketFile = 'agent.sock';
/** The kernel cuts the name of a socket off after this many bytes (unix(7)). */
const nameBytesMax = 107;
/** Whether a socket can have this name. */
export const nameFits = (path: string): boolean => Buffer.byteLength(path) <= nameBytesMax;
/**
 * The most bytes of a request. A launcher's report is a line of 100 bytes; a service may add a reason, an address or
 * the data of a question.
 */
export const requestBytesMax = 4_096;
const sayingMs = 5 * secondMs;

/** A launcher's report to the running agent. */
export const LauncherReport = z.strictObject({ process: Fid, is: z.enum(['STARTED', 'STOPPED']), pid: z.int().positive().optional() });
export type LauncherReport = z.infer<typeof LauncherReport>;

/** A request on the socket: a report of a launcher or a service, a question of a service, or a lookup of services. */
const SocketRequest = z.union([LauncherReport, ReportByService, Question, Lookup]);
type SocketRequest = z.infer<typeof SocketRequest>;

const AnswerRead = z.union([
  z.strictObject({ ok: z.literal(true), found: z.array(FoundService).optional(), answer: QuestionAnswer.optional() }),
  z.strictObject({ ok: z.literal(false), why: z.string(), again: z.literal(true).optional() }),
]);

/** The answer to a request: recorded, with what it asked for, or why not. */
export type SocketAnswer = z.infer<typeof AnswerRead>;

type Keepers = {
  readonly keeper: Pick<ProcessKeeper, 'report'>;
  readonly services?: Pick<ServiceKeeper, 'report' | 'find' | 'ask'>;
};
type Hears = Keepers & {
  readonly folder: Folder;
  readonly lives: Lives;
  say(line: string): void;
  /** How long a launcher may take to send its report. */
  readonly limitMs?: number;
};

/**
 * Listens for launchers and services on a socket in the agent's folder, which other users cannot reach; gives a
 * function that stops. This agent must hold the folder.
 */
export function hearLaunchers({ folder, lives, say, limitMs = sayingMs, ...keepers }: Hears): () => void {
  const path = join(folder.path, socketFile);
  if (!nameFits(path)) {
    say(`launchers cannot report: the path ${path} is too long for a socket`);
    return () => {};
  }
  // The agent that left the socket has ended, since this agent holds the folder.
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.setTimeout(limitMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    void heard(socket, keepers, lives);
  });
  server.on('error', (error) => say(`launchers cannot report: ${error.message}`));
  server.listen(path, () => chmodSync(path, 0o600));
  return () => {
    server.close();
  };
}

/** The socket of one service, in a folder that the service may enter; `uid` owns the socket. */
export type Ear = { readonly path: string; readonly service: ServiceTypeName; readonly uid: number };

/**
 * Listens for one service on a socket of its own, where it may report only about itself. Resolves once it may connect,
 * with a function that stops.
 */
export function hearService({ path, service, uid }: Ear, services: NonNullable<Keepers['services']>, lives: Lives): Promise<() => void> {
  rmSync(path, { force: true });
  const only: Keepers = {
    keeper: { report: () => notYours },
    services: {
      find: (name) => services.find(name),
      ask: async (question) => (question.service === service ? services.ask(question) : notYours),
      report: (report) => (report.service === service ? services.report(report) : notYours),
    },
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.setTimeout(sayingMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    void heard(socket, only, lives);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      chmodSync(path, 0o600);
      chownSync(path, uid, -1);
      resolve(() => void server.close());
    });
  });
}

const notYours = { ok: false, why: 'a service may report only about itself on this socket' } as const;

/** Reads one request, and answers it. */
async function heard(socket: Socket, keepers: Keepers, lives: Lives): Promise<void> {
  let received = '';
  try {
    for await (const part of socket.setEncoding('utf8')) {
      received += part;
      // Leaving the loop closes the socket: a caller that sends so much is not a launcher.
      if (received.length > requestBytesMax) return;
    }
  } catch {
    // A launcher that disconnects early has sent no request, and waits for no answer.
    return;
  }
  socket.end(`${JSON.stringify(await answerTo(received, keepers, lives))}\n`);
}

async function answerTo(received: string, { keeper, services }: Keepers, lives: Lives): Promise<SocketAnswer> {
  const { data: request } = SocketRequest.safeParse(parsed(received));
  if (!request) return { ok: false, why: 'this is not a request of a launcher or a service' };
  if ('process' in request) return launched(request, keeper, lives);
  if (!services) return { ok: false, why: 'this agent runs no services' };
  if ('find' in request) return services.find(request.find);
  return 'question' in request ? services.ask(request) : services.report(request);
}

function launched({ process, is, pid }: LauncherReport, keeper: Keepers['keeper'], lives: Lives): Answer {
  const life = pid === undefined ? undefined : lives.of(pid);
  if (is === 'STARTED' && !life) return { ok: false, why: pid === undefined ? 'STARTED needs a pid' : `nothing runs under pid ${pid}` };
  // The kernel no longer knows when an ended process began: its pid is all there is.
  const known = life ?? (pid === undefined ? undefined : { pid, born: 'ended' });
  return keeper.report({ process, is, ...(known && { life: known }) });
}

const parsed = (received: string): unknown => {
  try {
    return JSON.parse(received);
  } catch {
    return undefined;
  }
};

/** Sends a request to the agent that runs in this folder; undefined when none runs. Throws for any other answer. */
export const tellAgent = (folder: Folder, request: SocketRequest): Promise<SocketAnswer | undefined> =>
  tellSocket(join(folder.path, socketFile), request);

/** Sends a request to the agent that listens on this socket; undefined when none does. Throws for any other answer. */
export async function tellSocket(path: string, request: SocketRequest): Promise<SocketAnswer | undefined> {
  const socket = connect(path);
  const answered = text(socket).then((received) => AnswerRead.parse(JSON.parse(received)));
  socket.end(JSON.stringify(request));
  try {
    return await answered;
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

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
import { Lookup, Question, SaidByService } from '../services/said.ts';
import type { Lives } from './born.ts';
import type { Answer, ProcessKeeper } from './keeper.ts';

/** The socket in the agent's folder on which launchers call. */
export const socketFile = 'agent.sock';
/** The kernel cuts the name of a socket off after this many bytes (unix(7)). */
const nameBytesMax = 107;
/** Whether a socket can have this name. */
export const nameFits = (path: string): boolean => Buffer.byteLength(path) <= nameBytesMax;
/**
 * A launcher's word is a line of 100 bytes; a service may give a reason, an address or the data of a question with its
 * own.
 */
export const wordBytesMax = 4_096;
const sayingMs = 5 * secondMs;

/** What a launcher says to the agent that runs. */
export const LauncherWord = z.strictObject({ process: Fid, is: z.enum(['STARTED', 'STOPPED']), pid: z.int().positive().optional() });
export type LauncherWord = z.infer<typeof LauncherWord>;

/**
 * What is said on the socket: by a launcher, by a service, which may ask something too, or by whoever looks for one.
 */
const Word = z.union([LauncherWord, SaidByService, Question, Lookup]);
type Word = z.infer<typeof Word>;

const AnswerRead = z.union([
  z.strictObject({ ok: z.literal(true), found: z.array(FoundService).optional(), answer: QuestionAnswer.optional() }),
  z.strictObject({ ok: z.literal(false), why: z.string(), again: z.literal(true).optional() }),
]);

/** What becomes of a word: taken down, with what was asked for, or why not. */
export type WordAnswer = z.infer<typeof AnswerRead>;

type Keepers = {
  readonly keeper: Pick<ProcessKeeper, 'told'>;
  readonly services?: Pick<ServiceKeeper, 'told' | 'find' | 'ask'>;
};
type Hears = Keepers & {
  readonly folder: Folder;
  readonly lives: Lives;
  say(line: string): void;
  /** How long a launcher may take to say its word. */
  readonly limitMs?: number;
};

/**
 * Hears launchers and services on a socket in the agent's folder, where nobody else may call; gives how to stop. The
 * folder must be held by this agent.
 */
export function hearLaunchers({ folder, lives, say, limitMs = sayingMs, ...keepers }: Hears): () => void {
  const path = join(folder.path, socketFile);
  if (!nameFits(path)) {
    say(`launchers cannot call: the name ${path} is longer than a socket’s may be`);
    return () => {};
  }
  // Whoever left it there has ended, since the folder is ours.
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.setTimeout(limitMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    void heard(socket, keepers, lives);
  });
  server.on('error', (error) => say(`launchers cannot call: ${error.message}`));
  server.listen(path, () => chmodSync(path, 0o600));
  return () => {
    server.close();
  };
}

/** What services of one type call on, in a folder that they may enter: `uid` owns the socket. */
export type Ear = { readonly path: string; readonly service: ServiceTypeName; readonly uid: number };

/** Hears one service on a socket of its own, where it speaks for itself alone; gives how to stop, once it may call. */
export function hearService({ path, service, uid }: Ear, services: NonNullable<Keepers['services']>, lives: Lives): Promise<() => void> {
  rmSync(path, { force: true });
  const only: Keepers = {
    keeper: { told: () => notYours },
    services: {
      find: (name) => services.find(name),
      ask: async (question) => (question.service === service ? services.ask(question) : notYours),
      told: (told) => (told.service === service ? services.told(told) : notYours),
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

const notYours = { ok: false, why: 'a service speaks for itself alone here' } as const;

/** One word, and its answer. */
async function heard(socket: Socket, keepers: Keepers, lives: Lives): Promise<void> {
  let said = '';
  try {
    for await (const part of socket.setEncoding('utf8')) {
      said += part;
      // Leaving the loop closes the socket: whoever says so much is no launcher.
      if (said.length > wordBytesMax) return;
    }
  } catch {
    // A launcher that is gone before it has finished has said nothing, and awaits nothing.
    return;
  }
  socket.end(`${JSON.stringify(await answerTo(said, keepers, lives))}\n`);
}

async function answerTo(said: string, { keeper, services }: Keepers, lives: Lives): Promise<WordAnswer> {
  const { data: word } = Word.safeParse(parsed(said));
  if (!word) return { ok: false, why: 'this is no word of a launcher or a service' };
  if ('process' in word) return launched(word, keeper, lives);
  if (!services) return { ok: false, why: 'this agent keeps no services' };
  if ('find' in word) return services.find(word.find);
  return 'question' in word ? services.ask(word) : services.told(word);
}

function launched({ process, is, pid }: LauncherWord, keeper: Keepers['keeper'], lives: Lives): Answer {
  const life = pid === undefined ? undefined : lives.of(pid);
  if (is === 'STARTED' && !life) return { ok: false, why: pid === undefined ? 'no pid is named' : `nothing runs under pid ${pid}` };
  // Of one that has ended the kernel says no more when it began: its pid is all there is.
  const told = life ?? (pid === undefined ? undefined : { pid, born: 'ended' });
  return keeper.told({ process, is, ...(told && { life: told }) });
}

const parsed = (said: string): unknown => {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
};

/**
 * Says a word to the agent that runs in this folder; undefined when none does. Throws for what is no agent's answer.
 */
export const tellAgent = (folder: Folder, word: Word): Promise<WordAnswer | undefined> => tellSocket(join(folder.path, socketFile), word);

/**
 * Says a word to the agent that hears on this socket; undefined when none does. Throws for what is no agent's answer.
 */
export async function tellSocket(path: string, word: Word): Promise<WordAnswer | undefined> {
  const socket = connect(path);
  const answered = text(socket).then((said) => AnswerRead.parse(JSON.parse(said)));
  socket.end(JSON.stringify(word));
  try {
    return await answered;
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { Fid } from '../../lib/facts/fid.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { secondMs } from '../../lib/units.ts';
import type { Lives } from './born.ts';
import type { Answer, ProcessKeeper } from './keeper.ts';

/** The socket in the agent's folder on which launchers call. */
export const socketFile = 'agent.sock';
/** The kernel cuts the name of a socket off after this many bytes (unix(7)). */
const nameBytesMax = 107;
/** Whether a socket can have this name. */
export const nameFits = (path: string): boolean => Buffer.byteLength(path) <= nameBytesMax;
/** A launcher's word is a line of 100 bytes. */
const wordBytesMax = 1_024;
const sayingMs = 5 * secondMs;

/** What a launcher says to the agent that runs. */
export const LauncherWord = z.strictObject({ process: Fid, is: z.enum(['STARTED', 'STOPPED']), pid: z.int().positive().optional() });
export type LauncherWord = z.infer<typeof LauncherWord>;

const AnswerRead = z.union([
  z.strictObject({ ok: z.literal(true) }),
  z.strictObject({ ok: z.literal(false), why: z.string(), again: z.literal(true).optional() }),
]);

type Hears = {
  readonly folder: Folder;
  readonly keeper: Pick<ProcessKeeper, 'told'>;
  readonly lives: Lives;
  say(line: string): void;
  /** How long a launcher may take to say its word. */
  readonly limitMs?: number;
};

/** Hears launchers on a socket in the agent's folder, where nobody else may call; gives how to stop. The folder must be held by this agent. */
export function hearLaunchers({ folder, keeper, lives, say, limitMs = sayingMs }: Hears): () => void {
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
    void heard(socket, keeper, lives);
  });
  server.on('error', (error) => say(`launchers cannot call: ${error.message}`));
  server.listen(path, () => chmodSync(path, 0o600));
  return () => {
    server.close();
  };
}

/** One word, and its answer. */
async function heard(socket: Socket, keeper: Hears['keeper'], lives: Lives): Promise<void> {
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
  socket.end(`${JSON.stringify(answerTo(said, keeper, lives))}\n`);
}

function answerTo(said: string, keeper: Hears['keeper'], lives: Lives): Answer {
  const read = LauncherWord.safeParse(parsed(said));
  if (!read.success) return { ok: false, why: 'this is no word of a launcher' };
  const { process, is, pid } = read.data;
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

/** Says a launcher's word to the agent that runs in this folder; undefined when none does. Throws for what is no agent's answer. */
export async function tellAgent(folder: Folder, word: LauncherWord): Promise<Answer | undefined> {
  const socket = connect(join(folder.path, socketFile));
  const answered = text(socket).then((said) => AnswerRead.parse(JSON.parse(said)) as Answer);
  socket.end(JSON.stringify(word));
  try {
    return await answered;
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

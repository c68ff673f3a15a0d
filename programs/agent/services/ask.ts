import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { endGroup } from '../../../lib/machine/group.ts';
import type { User } from '../runs-as.ts';
import { ocf, type Result } from './command.ts';

/** The most characters of a command's output that are reported. */
export const saysMax = 2_000;

type Asking = {
  readonly environment: NodeJS.ProcessEnv;
  /** The text on its standard input. */
  readonly input: string;
  readonly limitMs: number;
  /** The user that it runs as; the agent's own where absent. */
  readonly user?: User | undefined;
  after(waitMs: number, then: () => void): () => void;
};

/**
 * Runs a command in words, without a shell, and gives its exit code and output. After `limitMs` it is killed with
 * everything that it started. Never rejects.
 */
export function askCommand([file = '', ...args]: readonly string[], { environment, input, limitMs, user, after }: Asking): Promise<Result> {
  return new Promise((resolve) => {
    const as = user && { uid: user.uid, gid: user.gid };
    const child = spawn(file, args, { detached: true, cwd: '/', env: environment, stdio: ['pipe', 'pipe', 'pipe'], ...as });
    const output = heard(child);
    let exit: number | undefined;
    const disarm = after(limitMs, () => {
      if (child.pid !== undefined) endGroup(child.pid);
      // A process that it left behind may keep its output open forever.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      resolve({ ...(exit !== undefined && { exit }), says: output() });
    });
    const end = (result: Result) => {
      disarm();
      resolve(result);
    };
    child.once('error', (error) => end({ exit: exitOf(error), says: plainText(error.message) }));
    child.once('exit', (code, signal) => {
      exit = code ?? 128 + (constants.signals[signal!] ?? 0);
    });
    child.once('close', () => exit !== undefined && end({ exit, says: output() }));
    // A command that reads nothing may close its input first; that is no failure.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** The beginning of its output, standard output and error together; reads and drops the rest. */
function heard({ stdout, stderr }: ReturnType<typeof spawn>): () => string {
  let text = '';
  for (const stream of [stdout, stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      if (text.length < saysMax) text += part.slice(0, saysMax);
    });
  return () => plainText(text);
}

/** The exit code for a command that could not be run at all, as OCF has it. */
function exitOf({ code }: NodeJS.ErrnoException): number {
  if (code === 'ENOENT') return ocf.notInstalled;
  return code === 'EACCES' ? ocf.permission : ocf.generic;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes them.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/**
 * The output of a program as it is safe to display, without control characters, and {@link saysMax} characters at most.
 */
export const plainText = (text: string): string => text.replace(controls, '').slice(0, saysMax).trimEnd().toWellFormed();

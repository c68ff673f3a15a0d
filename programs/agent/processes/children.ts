import { spawn } from 'node:child_process';
import { closeSync, fchownSync, mkdirSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Ran } from '../../../lib/machine/command.ts';
import { type User, variablesOf } from '../runs-as.ts';
import type { Life } from '../supervised/thing.ts';
import type { Lives } from './born.ts';
import type { Began } from './runner.ts';

/** The options with which children start. */
export type ChildrenOptions = {
  /** The folder for their output and their pids, a file of each for each name. */
  readonly folder: string;
  /** The environment of the agent; variables for the agent alone, such as a join token, do not go to a child. */
  readonly environment: Environment;
  readonly lives: Lives;
};
/** Names of variables and their values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a life still runs, and its exit code where that is known. */
export type Fate = { readonly runs: true } | { readonly runs: false; readonly exit?: number };

/**
 * The shell writes its own line of the kernel's table to a file, and becomes the command under the same pid. After an
 * agent dies between start and record, the next one finds the process by that file. The agent opens the file, because
 * the child's user may not enter the folder; the command does not inherit it.
 */
const noted = 'cat "/proc/$$/stat" >&3 && exec "$@" 3>&-';

/** Children in process groups of their own, which outlive the agent. Each has a name, which also names its files. */
export class Children {
  readonly #options: ChildrenOptions;
  /** Children of this agent by pid; `exit` is the exit code of one that has ended. */
  readonly #children = new Map<number, { exit?: number }>();
  #ended: (pid: number) => void = () => {};

  /** No children yet; those of an earlier agent are found by their lives. */
  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** Has `then` called when a child of this agent has ended. */
  onEnd(then: (pid: number) => void): void {
    this.#ended = then;
  }

  /** Starts a command in words, with these variables added, as `user` where one is named; does not wait for its end. */
  async start(name: string, command: readonly string[], variables: Environment, user?: User): Promise<Began> {
    const { folder, lives, environment } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(this.#file(name, 'pid'), { force: true });
    const output = this.#newLog(name);
    // The user may then open /dev/stdout anew.
    if (user) fchownSync(output, user.uid, user.gid);
    const note = openSync(this.#file(name, 'pid'), 'wx', 0o600);
    const child = spawn('/bin/sh', ['-c', noted, 'sh', ...command], {
      detached: true,
      cwd: '/',
      env: { ...forChildren(environment, user), ...variables },
      ...(user && { uid: user.uid, gid: user.gid }),
      stdio: ['ignore', output, output, note],
    });
    closeSync(output);
    closeSync(note);
    const why = await new Promise<string | undefined>((resolve) => {
      child.once('spawn', () => resolve(undefined));
      child.once('error', (error) => resolve(error.message));
    });
    if (why !== undefined || child.pid === undefined) return { ok: false, why: why ?? 'it has no pid' };
    const { pid } = child;
    this.#children.set(pid, {});
    child.once('exit', (code, signal) => {
      this.#children.set(pid, { exit: code ?? 128 + (constants.signals[signal!] ?? 0) });
      this.#ended(pid);
    });
    child.unref();
    const life = lives.of(pid);
    return { ok: true, ...(life && { life }) };
  }

  /** Sends a signal to the process group of a child; does nothing for one that has ended. */
  signal(life: Life, signal: 'SIGTERM' | 'SIGKILL'): Ran {
    if (!this.#options.lives.isOn(life)) return { ok: true };
    try {
      process.kill(-life.pid, signal);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ESRCH' ? { ok: true } : { ok: false, why: message };
    }
    return { ok: true };
  }

  /** The life in the file of a child that started just before its agent died; undefined when there is none. */
  notedLife(name: string): Life | undefined {
    return this.#options.lives.in(textOf(this.#file(name, 'pid'), 4_096));
  }

  /** The fate of a life. Gives the exit code of a child only once. */
  fateOf(life: Life): Fate {
    const child = this.#children.get(life.pid);
    if (child ? child.exit === undefined : this.#options.lives.isOn(life)) return { runs: true };
    this.#children.delete(life.pid);
    return { runs: false, ...(child?.exit !== undefined && { exit: child.exit }) };
  }

  /** The beginning of its output in this life, at most `bytesMax` bytes. */
  printed(name: string, bytesMax: number): string {
    return textOf(this.#file(name, 'log'), bytesMax);
  }

  /** An empty file for its output; the output of its previous life stays beside it, as `.before`. */
  #newLog(name: string): number {
    const log = this.#file(name, 'log');
    if (textOf(log, 1) !== '') renameSync(log, `${log}.before`);
    return openSync(log, 'w', 0o600);
  }

  #file(name: string, kind: 'pid' | 'log'): string {
    return join(this.#options.folder, `${name}.${kind}`);
  }
}

/**
 * Names of variables that hold no secret, for every user and for the agent's own user. All other variables of the agent
 * stay private to it.
 */
const forAll = /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;
const forItself = /^(?:HOME|USER|LOGNAME|SHELL|TMPDIR)$/;
/** The part of its environment that the agent passes to children, with the variables about another user. */
export const forChildren = (own: Environment, user?: User): Environment => ({
  ...Object.fromEntries(Object.entries(own).filter(([name]) => forAll.test(name) || (!user && forItself.test(name)))),
  ...(user && variablesOf(user)),
});

/** The beginning of a file; empty where there is none. */
function textOf(file: string, bytesMax: number): string {
  let open: number | undefined;
  try {
    open = openSync(file, 'r');
    const bytes = Buffer.alloc(bytesMax);
    return bytes.toString('utf8', 0, readSync(open, bytes, 0, bytesMax, 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  } finally {
    if (open !== undefined) closeSync(open);
  }
}

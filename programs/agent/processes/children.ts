import { spawn } from 'node:child_process';
import { closeSync, fchownSync, mkdirSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Ran } from '../../../lib/machine/command.ts';
import { type User, variablesOf } from '../runs-as.ts';
import type { Life } from '../supervised/thing.ts';
import type { Lives } from './born.ts';
import type { Began } from './runner.ts';

/** What children are started with. */
export type ChildrenOptions = {
  /** Where their output and their pids go, a file of each for each name. */
  readonly folder: string;
  /** What the agent was started with; what is for it alone, such as a join token, goes to no child. */
  readonly environment: Environment;
  readonly lives: Lives;
};
/** Names of variables and their values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a life goes on, and what it ended with as far as that is known. */
export type Fate = { readonly runs: true } | { readonly runs: false; readonly exit?: number };

/**
 * The shell writes its own line of the kernel's table down and becomes the command, under the same pid: an agent that
 * dies between start and record finds the process by that file. The agent opens it, because whoever it runs as may not
 * enter the folder; the command does not get it.
 */
const noted = 'cat "/proc/$$/stat" >&3 && exec "$@" 3>&-';

/**
 * Children in process groups of their own, which outlive the agent. Each is known by a name, which names its files,
 * too.
 */
export class Children {
  readonly #options: ChildrenOptions;
  /** Children of this agent that have not been heard to end, and what those ended with that have; by pid. */
  readonly #children = new Map<number, { exit?: number }>();
  #ended: (pid: number) => void = () => {};

  /** No children yet; those of an agent before are found by their lives. */
  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  /** Calls when one of this agent's own has ended. */
  onEnd(then: (pid: number) => void): void {
    this.#ended = then;
  }

  /** Starts a command in words, with these variables besides, as another user where one is named; gives at once. */
  async start(name: string, command: readonly string[], variables: Environment, user?: User): Promise<Began> {
    const { folder, lives, environment } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(this.#file(name, 'pid'), { force: true });
    const output = this.#newLog(name);
    // So that it may open /dev/stdout anew.
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

  /** Sends a signal to a child and to whatever it has started in its group; one that has ended needs none. */
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

  /** The life that a child has written down that was begun just before its agent died; undefined when there is none. */
  notedLife(name: string): Life | undefined {
    return this.#options.lives.in(textOf(this.#file(name, 'pid'), 4_096));
  }

  /** What has become of a life. What a child ended with is told once. */
  fateOf(life: Life): Fate {
    const child = this.#children.get(life.pid);
    if (child ? child.exit === undefined : this.#options.lives.isOn(life)) return { runs: true };
    this.#children.delete(life.pid);
    return { runs: false, ...(child?.exit !== undefined && { exit: child.exit }) };
  }

  /** The first of what it has printed in this life, so many bytes at the most. */
  printed(name: string, bytesMax: number): string {
    return textOf(this.#file(name, 'log'), bytesMax);
  }

  /** An empty file for its output; what it printed in its life before is kept beside it. */
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
 * Names of variables that hold no secret, for everybody and for the agent's own user: whatever else the agent was
 * started with is its own.
 */
const forAll = /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/;
const forItself = /^(?:HOME|USER|LOGNAME|SHELL|TMPDIR)$/;
/** What of its environment the agent hands on, with what another user is told of itself. */
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

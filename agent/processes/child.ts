import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { DesiredProcess } from '../../lib/desired/desired.ts';
import type { Fid } from '../../lib/facts/fid.ts';
import type { Ran } from '../../lib/machine/command.ts';
import { secondMs } from '../../lib/units.ts';
import type { Lives } from './born.ts';
import type { Began, Look, Runner, Seen } from './runner.ts';
import type { Held, Life } from './state.ts';

/** How children are run. */
export type ChildOptions = {
  /** Where their output and their pids go, a file of each for each fid. */
  readonly folder: string;
  /** The command of each prefix, in words. */
  readonly commands: ReadonlyMap<string, readonly string[]>;
  /** A child is ready once it has lived for so long, or, when there is such a line, once that stands in its output. */
  readonly readyAfterMs: number;
  readonly readyLine?: string | undefined;
  /** What the agent was started with; what is for it alone, such as a join token, goes to no child. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly lives: Lives;
  now(): number;
};

/** A line that says it is ready is among the first that a child prints. */
const readyBytesMax = 65_536;

/**
 * The shell writes its own line of the kernel's table down and becomes the command, under the same pid: an agent that dies between start and
 * record finds the process by that file.
 */
const noted = 'cat "/proc/$$/stat" >"$0" && exec "$@"';

/** Runs processes as children in process groups of their own, which outlive the agent. For machines without systemd, and for tests. */
export class ChildRunner implements Runner {
  readonly #options: ChildOptions;
  /** Children of this agent that have not been heard to end, and what those ended with that have; by pid. */
  readonly #children = new Map<number, { exit?: number }>();
  #ended: () => void = () => {};

  /** A runner with no children yet; those of an agent before are found by their lives. */
  constructor(options: ChildOptions) {
    this.#options = options;
  }

  onEnd(then: () => void): void {
    this.#ended = then;
  }

  async start({ process: fid, prefix, environment }: DesiredProcess): Promise<Began> {
    const { commands, folder, lives, environment: own } = this.#options;
    const command = commands.get(prefix);
    if (!command) return { ok: false, why: `the agent was given no --run ${prefix}=COMMAND` };
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmSync(this.#file(fid, 'pid'), { force: true });
    const output = this.#newLog(fid);
    const env = { ...forChildren(own), ...Object.fromEntries(environment.map(({ name, value }) => [name, value])) };
    const child = spawn('/bin/sh', ['-c', noted, this.#file(fid, 'pid'), ...command], {
      detached: true,
      cwd: '/',
      env,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    const why = await new Promise<string | undefined>((resolve) => {
      child.once('spawn', () => resolve(undefined));
      child.once('error', (error) => resolve(error.message));
    });
    if (why !== undefined || child.pid === undefined) return { ok: false, why: why ?? 'it has no pid' };
    const { pid } = child;
    this.#children.set(pid, {});
    child.once('exit', (code, signal) => {
      this.#children.set(pid, { exit: code ?? 128 + (constants.signals[signal!] ?? 0) });
      this.#ended();
    });
    child.unref();
    const life = lives.of(pid);
    return { ok: true, ...(life && { life }) };
  }

  async stop(held: Held): Promise<Ran> {
    const life = this.#lifeOf(held);
    if (!life || !this.#options.lives.isOn(life)) return { ok: true };
    try {
      process.kill(-life.pid, 'SIGTERM');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ESRCH' ? { ok: true } : { ok: false, why: message };
    }
    return { ok: true };
  }

  async look(held: readonly Held[]): Promise<Look> {
    const seen = new Map<Fid, Seen>();
    for (const one of held) {
      const found = this.#found(one);
      if (found) seen.set(one.process, found);
    }
    return { ok: true, seen };
  }

  #found(held: Held): Seen | undefined {
    if (held.is === 'idle') return { is: 'absent' };
    const life = this.#lifeOf(held);
    // Who was said to run without a pid is believed until somebody says that it does not.
    if (!life) return held.unmanaged && held.is !== 'starting' ? undefined : { is: 'absent' };
    const child = this.#children.get(life.pid);
    const runs = child ? child.exit === undefined : this.#options.lives.isOn(life);
    if (runs) return { is: held.is === 'starting' && !this.#isReady(held) ? 'starting' : 'online', life };
    this.#children.delete(life.pid);
    return { is: 'absent', ...(child?.exit !== undefined && { exit: child.exit }) };
  }

  /** The life on record, or that of a child that was begun just before its agent died. */
  #lifeOf({ process: fid, life }: Held): Life | undefined {
    return life ?? this.#options.lives.in(textOf(this.#file(fid, 'pid'), 4_096));
  }

  #isReady({ process: fid, since }: Held): boolean {
    const { readyLine, readyAfterMs, now } = this.#options;
    if (readyLine === undefined) return now() >= since + readyAfterMs;
    return textOf(this.#file(fid, 'log'), readyBytesMax).split('\n').slice(0, -1).includes(readyLine);
  }

  /** An empty file for its output; what it printed in its life before is kept beside it. */
  #newLog(fid: Fid): number {
    const log = this.#file(fid, 'log');
    if (textOf(log, 1) !== '') renameSync(log, `${log}.before`);
    return openSync(log, 'w', 0o600);
  }

  #file(fid: Fid, kind: 'pid' | 'log'): string {
    return join(this.#options.folder, `${fid}.${kind}`);
  }
}

/** How long a child lives before it counts as ready, unless it says so itself. */
export const readyAfterDefaultMs = secondMs;

/** Names of variables that are for the agent. */
const forAgent = /^MUSTER_/;
const forChildren = (own: ChildOptions['environment']): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(own).filter(([name]) => !forAgent.test(name)));

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

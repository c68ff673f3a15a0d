import type { Fid } from '../../../lib/core/fid.ts';
import { secondMs } from '../../../lib/core/time.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import type { RunsAs } from '../runs-as.ts';
import type { Life } from '../supervised/thing.ts';
import { Children, type ChildrenOptions } from './children.ts';
import type { Began, Look, Runner, Seen } from './runner.ts';
import type { Held } from './state.ts';

/** The options of processes that run as children; the fid of each is its name. */
export type ChildOptions = ChildrenOptions & {
  /** The command of each prefix, in words. */
  readonly commands: ReadonlyMap<string, readonly string[]>;
  /** A child is ready after it has run this long; or, with a `readyLine`, once it has printed that line. */
  readonly readyAfterMs: number;
  readonly readyLine?: string | undefined;
  /** Finds the user for the processes of a prefix. */
  readonly runsAs: RunsAs;
  now(): number;
};

/** The ready line must be within this many first bytes of a child's output. */
const readyBytesMax = 65_536;

/**
 * Runs processes as children in process groups of their own, which outlive the agent. For machines without systemd, and
 * for tests.
 */
export class ChildRunner implements Runner {
  readonly #options: ChildOptions;
  readonly #children: Children;

  /** A runner with no children yet; it finds those of an earlier agent by their lives. */
  constructor(options: ChildOptions) {
    this.#options = options;
    this.#children = new Children(options);
  }

  onEnd(then: () => void): void {
    this.#children.onEnd(then);
  }

  async start({ process: fid, prefix, environment }: DesiredProcess): Promise<Began> {
    const command = this.#options.commands.get(prefix);
    if (!command) return { ok: false, why: `no command is set for ${prefix}: give the agent --run ${prefix}=COMMAND` };
    const as = this.#options.runsAs(prefix);
    if (!as.ok) return as;
    const variables = Object.fromEntries(environment.map(({ name, value }) => [name, value]));
    return this.#children.start(fid, command, variables, as.user);
  }

  async stop(held: Held): Promise<Ran> {
    return this.#signal(held, 'SIGTERM');
  }

  async kill(held: Held): Promise<Ran> {
    return this.#signal(held, 'SIGKILL');
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
    // A process that was reported to run without a pid counts as running until a report ends it.
    if (!life) return held.unmanaged && held.is !== 'starting' ? undefined : { is: 'absent' };
    const fate = this.#children.fateOf(life);
    if (fate.runs) return { is: held.is === 'starting' && !this.#isReady(held) ? 'starting' : 'online', life };
    return { is: 'absent', ...(fate.exit !== undefined && { exit: fate.exit }) };
  }

  /** Signals the whole process group, with everything that the process has started. */
  #signal(held: Held, signal: 'SIGTERM' | 'SIGKILL'): Ran {
    const life = this.#lifeOf(held);
    return life ? this.#children.signal(life, signal) : { ok: true };
  }

  /** The life on record, or that of a child that started just before its agent died. */
  #lifeOf({ process: fid, life }: Held): Life | undefined {
    return life ?? this.#children.notedLife(fid);
  }

  #isReady({ process: fid, since }: Held): boolean {
    const { readyLine, readyAfterMs, now } = this.#options;
    if (readyLine === undefined) return now() >= since + readyAfterMs;
    return this.#children.printed(fid, readyBytesMax).split('\n').slice(0, -1).includes(readyLine);
  }
}

/** How long a child runs before it counts as ready, unless there is a ready line. */
export const readyAfterDefaultMs = secondMs;

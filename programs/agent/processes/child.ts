import type { Fid } from '../../../lib/core/fid.ts';
import { secondMs } from '../../../lib/core/time.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import type { RunsAs } from '../runs-as.ts';
import type { Life } from '../supervised/thing.ts';
import { Children, type ChildrenOptions } from './children.ts';
import type { Began, Look, Runner, Seen } from './runner.ts';
import type { Held } from './state.ts';

/** How processes are run as children: each is called by its fid. */
export type ChildOptions = ChildrenOptions & {
  /** The command of each prefix, in words. */
  readonly commands: ReadonlyMap<string, readonly string[]>;
  /** A child is ready once it has lived for so long, or, when there is such a line, once that stands in its output. */
  readonly readyAfterMs: number;
  readonly readyLine?: string | undefined;
  /** As whom processes of a prefix are run. */
  readonly runsAs: RunsAs;
  now(): number;
};

/** A line that says it is ready is among the first that a child prints. */
const readyBytesMax = 65_536;

/**
 * Runs processes as children in process groups of their own, which outlive the agent. For machines without systemd, and
 * for tests.
 */
export class ChildRunner implements Runner {
  readonly #options: ChildOptions;
  readonly #children: Children;

  /** A runner with no children yet; those of an agent before are found by their lives. */
  constructor(options: ChildOptions) {
    this.#options = options;
    this.#children = new Children(options);
  }

  onEnd(then: () => void): void {
    this.#children.onEnd(then);
  }

  async start({ process: fid, prefix, environment }: DesiredProcess): Promise<Began> {
    const command = this.#options.commands.get(prefix);
    if (!command) return { ok: false, why: `the agent was given no --run ${prefix}=COMMAND` };
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
    // Who was said to run without a pid is believed until somebody says that it does not.
    if (!life) return held.unmanaged && held.is !== 'starting' ? undefined : { is: 'absent' };
    const fate = this.#children.fateOf(life);
    if (fate.runs) return { is: held.is === 'starting' && !this.#isReady(held) ? 'starting' : 'online', life };
    return { is: 'absent', ...(fate.exit !== undefined && { exit: fate.exit }) };
  }

  /** Its whole group is told, whatever it has started itself. */
  #signal(held: Held, signal: 'SIGTERM' | 'SIGKILL'): Ran {
    const life = this.#lifeOf(held);
    return life ? this.#children.signal(life, signal) : { ok: true };
  }

  /** The life on record, or that of a child that was begun just before its agent died. */
  #lifeOf({ process: fid, life }: Held): Life | undefined {
    return life ?? this.#children.notedLife(fid);
  }

  #isReady({ process: fid, since }: Held): boolean {
    const { readyLine, readyAfterMs, now } = this.#options;
    if (readyLine === undefined) return now() >= since + readyAfterMs;
    return this.#children.printed(fid, readyBytesMax).split('\n').slice(0, -1).includes(readyLine);
  }
}

/** How long a child lives before it counts as ready, unless it says so itself. */
export const readyAfterDefaultMs = secondMs;

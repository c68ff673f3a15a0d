import type { Fid } from '../../../lib/core/fid.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import { type Lives, livesOf } from '../../../programs/agent/processes/born.ts';
import type { ConfigurationFiles } from '../../../programs/agent/processes/configuration-files.ts';
import type { Began, Look, Runner, Seen } from '../../../programs/agent/processes/runner.ts';
import type { Held } from '../../../programs/agent/processes/state.ts';
import type { Life } from '../../../programs/agent/supervised/thing.ts';
import type { Around } from '../cluster.ts';
import type { Random } from '../random.ts';

/**
 * How long a process takes to be ready and to end, in ms, at the most; and how long it lives at the most where it dies
 * by itself.
 */
const readyWithinMs = 5_000;
const endsWithinMs = 5_000;
const livesMs = 10 * 60_000;
/**
 * How many of those that start end while they do, and how many of those that are ready die by themselves, while faults
 * last.
 */
const failsShare = 0.1;
const diesShare = 0.25;
/** How many are of such a kind that they end while they start, each time, as long as faults last. */
const brokenShare = 0.1;
/** How long those live that end as soon as they are ready, in ms, at the most. */
const livesBrieflyMs = 10_000;
/** One in so many never hears that it is to stop. */
const deafShare = 0.03;

type Running = {
  readonly life: Life;
  is: 'starting' | 'online' | 'stopping' /** Its launcher has started it, and Muster has no say in it. */;
  readonly launched?: true;
};

/** What runs on a machine: processes with pids of their own, which outlive an agent and end with the machine. */
export class SimulatedProcesses implements Runner, ConfigurationFiles {
  readonly running = new Map<Fid, Running>();
  /** The configuration files, by the fid they are of. */
  readonly files = new Map<Fid, DesiredProcess['environment']>();
  readonly #name: string;
  readonly #around: Around;
  readonly #random: Random;
  readonly #ended = new Set<() => void>();
  readonly #exits = new Map<string, number>();
  readonly #broken = new Map<Fid, boolean>();
  /** How its agent hears of ends. */
  reach: (then: () => void) => void = (then) => then();
  /** When the machine was last switched off; absent while it never was. */
  rebootedAt: EpochMs | undefined;
  #kernels = 1;
  #pids = 100;
  #isDown = false;
  #isShaky = false;
  /** What was begun before is over: its moments come in vain. */
  #power = 0;

  constructor(name: string, around: Around) {
    this.#name = name;
    this.#around = around;
    this.#random = around.kernel.random(`processes of ${name}`);
  }

  /** Tells lives apart, by what this machine's kernel knows. */
  get lives(): Lives {
    return livesOf(this.#kernel, (pid) => {
      const found = [...this.running.values()].find(({ life }) => life.pid === pid);
      return found && statOf(found.life);
    });
  }

  get #kernel(): string {
    return `kernel${this.#kernels}`.padEnd(8, '-');
  }

  onEnd(then: () => void): void {
    this.#ended.add(then);
  }

  async start({ process: fid, goal, start }: DesiredProcess): Promise<Began> {
    const { kernel, watch } = this.#around;
    watch.ran({ host: this.#name, process: fid, does: 'start', goal, start, isAlive: this.running.has(fid) });
    this.#pids += 1;
    const life: Life = { pid: this.#pids, born: `${this.#kernel}.${kernel.steps}` };
    this.running.set(fid, { life, is: 'starting' });
    if (this.#isHit(failsShare) || this.#isBroken(fid) || this.#isDown) this.#later(readyWithinMs, fid, life, () => this.#end(fid, 1));
    else this.#later(readyWithinMs, fid, life, () => this.#ready(fid, life));
    return { ok: true, life };
  }

  async stop({ process: fid, unmanaged }: Held): Promise<Ran> {
    const one = this.running.get(fid);
    this.#around.watch.ran({
      host: this.#name,
      process: fid,
      does: 'stop',
      goal: unmanaged ? 'watch' : 'stop',
      isAlive: one !== undefined,
    });
    if (!one) return { ok: true };
    one.is = 'stopping';
    if (!this.#isHit(deafShare)) this.#later(endsWithinMs, fid, one.life, () => this.#end(fid, 0));
    return { ok: true };
  }

  async kill({ process: fid }: Held): Promise<Ran> {
    if (this.running.has(fid)) this.#end(fid, 137);
    return { ok: true };
  }

  async look(held: readonly Held[]): Promise<Look> {
    const seen = held.map(({ process, life }): [Fid, Seen] => {
      const one = this.running.get(process);
      const exit = life && this.#exits.get(life.born);
      return [process, one ? { is: one.is, life: one.life } : { is: 'absent', ...(exit !== undefined && { exit }) }];
    });
    return { ok: true, seen: new Map(seen) };
  }

  async write({ process, environment }: DesiredProcess): Promise<void> {
    this.files.set(process, environment);
  }

  remove({ process }: Pick<DesiredProcess, 'process'>): void {
    this.files.delete(process);
  }

  /** The agent is gone: nobody hears of ends any more. */
  unheard(): void {
    this.#ended.clear();
    this.reach = (then) => then();
  }

  /** Somebody kills whatever runs. */
  killAll(): void {
    for (const fid of [...this.running.keys()]) this.#end(fid, 137);
  }

  /** The machine is switched off: nothing of this runs any more. */
  reboot(): void {
    this.#power += 1;
    this.rebootedAt = this.#around.kernel.now;
    this.#kernels += 1;
    this.running.clear();
  }

  /** From now on nothing runs here, and whatever is started ends while it starts. */
  breakDown(): void {
    this.#isDown = true;
    for (const fid of [...this.running.keys()]) this.#end(fid, 1);
  }

  /** From now on whatever is ready ends soon after, each time. */
  shake(): void {
    this.#isShaky = true;
    for (const [fid, { life }] of this.running) this.#later(livesBrieflyMs, fid, life, () => this.#end(fid, 1));
  }

  mend(): void {
    this.#isDown = false;
    this.#isShaky = false;
  }

  /** Somebody who is not Muster starts one, as launchers of unmanaged processes do. */
  launch(fid: Fid): Life | undefined {
    if (this.running.has(fid)) return undefined;
    this.#pids += 1;
    const life: Life = { pid: this.#pids, born: `${this.#kernel}.${this.#around.kernel.steps}` };
    this.running.set(fid, { life, is: 'online', launched: true });
    return life;
  }

  /** The launcher ends one. */
  end(fid: Fid): void {
    if (this.running.has(fid)) this.#end(fid, 0);
  }

  /** Whether this one cannot start, by chance, for as long as faults last. */
  #isBroken(fid: Fid): boolean {
    const known = this.#broken.get(fid) ?? this.#random() < brokenShare;
    this.#broken.set(fid, known);
    return known && !this.#around.faults.isHealed;
  }

  #ready(fid: Fid, life: Life): void {
    const one = this.running.get(fid)!;
    if (one.is !== 'starting') return;
    one.is = 'online';
    if (this.#isShaky) this.#later(livesBrieflyMs, fid, life, () => this.#end(fid, 1));
    else if (this.#isHit(diesShare)) this.#later(livesMs, fid, life, () => this.#end(fid, 137));
  }

  #end(fid: Fid, exit: number): void {
    this.#exits.set(this.running.get(fid)!.life.born, exit);
    this.running.delete(fid);
    for (const then of this.#ended) this.reach(then);
  }

  /** Something happens to this life, unless it is over by then. */
  #later(withinMs: number, fid: Fid, life: Life, then: () => void): void {
    const power = this.#power;
    this.#around.kernel.after(1 + this.#random() * withinMs, `${fid} on ${this.#name}`, () => {
      if (this.#power === power && this.running.get(fid)?.life === life) then();
    });
  }

  /** Draws in any case, so that a history goes on alike when faults end. */
  #isHit(share: number): boolean {
    const hit = this.#random() < share;
    return hit && !this.#around.faults.isHealed;
  }
}

/** A line of the kernel's table: only the pid, the state and the start of the process are read. */
const statOf = ({ pid, born }: Life): string => `${pid} (m0d) S ${Array.from({ length: 18 }, () => '0').join(' ')} ${born.split('.')[1]}`;

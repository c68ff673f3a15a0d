import type { InstanceId, ServiceTypeName } from '../../../lib/core/ids.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import { mask } from '../../../lib/services/rows/secrets.ts';
import { type Lives, livesOf } from '../../../programs/agent/processes/born.ts';
import type { Began } from '../../../programs/agent/processes/runner.ts';
import type { Allowed } from '../../../programs/agent/services/allowed.ts';
import { ocf, type Result, type Run } from '../../../programs/agent/services/command.ts';
import type { InstanceReport, Report } from '../../../programs/agent/services/hear.ts';
import { programOf } from '../../../programs/agent/services/program.ts';
import type { Runner } from '../../../programs/agent/services/runner.ts';
import type { Look, Seen } from '../../../programs/agent/services/seen.ts';
import type { Held } from '../../../programs/agent/services/state.ts';
import type { Life } from '../../../programs/agent/supervised/thing.ts';
import type { Around } from '../cluster.ts';
import type { Random } from '../random.ts';
import { changedBy, isDrifting, resourcesOf } from './service-types.ts';

/**
 * How long a service takes to be ready and to end, in ms, at the most; and how long it lives at the most where it ends
 * by itself.
 */
const readyWithinMs = 5_000;
const endsWithinMs = 5_000;
const livesMs = 10 * 60_000;
/**
 * How many of those that start end while they do, and how many of those that are ready end by themselves, while faults
 * last.
 */
const failsShare = 0.1;
const diesShare = 0.25;
/** How many are of such a kind that they end while they start, each time, as long as faults last. */
const brokenShare = 0.1;
/** One in so many never hears that it is to stop: it has to be killed. */
const deafShare = 0.05;
/** How many answers take longer than they may, and how many checks find something wrong, while faults last. */
const lateShare = 0.05;
const unwellShare = 0.2;
/** How long a service waits before it says something again that its agent did not hear, in ms. */
const againMs = 2_000;

/** What the agent of a host hears services with. */
type Hears = { readonly report: (report: InstanceReport) => { readonly ok: boolean; readonly again?: true | undefined } };

/** Carries out an order on site, as its message has it, for so many ms at the most. */
export type CarriesOut = (data: string | undefined, limitMs: number) => Promise<Result>;

type Running = {
  readonly life: Life;
  readonly instance: InstanceId;
  configuration: string;
  is: 'starting' | 'ready' | 'stopping';
};

/**
 * The services of a machine: processes with pids of their own, which outlive an agent, end with the machine and speak
 * to whatever agent runs.
 */
export class SimulatedServices implements Runner {
  /** What runs as a process of its own. */
  readonly running = new Map<ServiceTypeName, Running>();
  /** The agent that hears them; undefined while none runs. */
  #hears: Hears | undefined;
  /** What is said once an agent runs. */
  #unsaid: (() => void)[] = [];
  /** What the agent that runs carries orders on site out with; undefined where there is no site. */
  carriesOut: CarriesOut | undefined;
  /** Hears of each message that a service is given. */
  onGiven: () => void = () => undefined;
  readonly #name: string;
  readonly #allowed: Allowed;
  readonly #around: Around;
  readonly #random: Random;
  readonly #ended = new Set<() => void>();
  /** What children of this agent ended with, by their lives. */
  readonly #exits = new Map<string, number>();
  readonly #broken = new Map<ServiceTypeName, boolean>();
  /** What an agent finds of a child that was begun just before the one before it died. */
  readonly #noted = new Map<ServiceTypeName, Life>();
  #kernels = 1;
  #pids = 100;
  /** What was begun before the machine was switched off is over: its moments come in vain. */
  #power = 0;

  constructor(name: string, around: Around, allowed: Allowed) {
    this.#name = name;
    this.#allowed = allowed;
    this.#around = around;
    this.#random = around.kernel.random(`services of ${name}`);
  }

  /** Tells lives apart, by what this machine's kernel knows. */
  get lives(): Lives {
    return livesOf(this.#kernel, (pid) => {
      const found = [...this.running.values()].find(({ life }) => life.pid === pid);
      return found && statOf(found.life);
    });
  }

  /** A copied machine has a kernel of its own. */
  get #kernel(): string {
    return `${this.#kernels}${this.#name.split('-').reverse().join('-')}`.padEnd(8, '-').slice(0, 8);
  }

  onEnd(then: () => void): void {
    this.#ended.add(then);
  }

  async start(service: DesiredService): Promise<Began> {
    const { service: type, instance, configuration } = service;
    const { kernel, watch } = this.#around;
    const program = programOf(service);
    if (program.is === 'unknown') return { ok: false, why: program.why };
    const mayRun = this.#allowed.has(type);
    watch.served({ host: this.#name, service: type, instance, does: 'start', runs: this.running.get(type)?.instance, mayRun });
    if (program.is === 'inside') return { ok: true, life: this.lives.ofUnit(instance) };
    this.#pids += 1;
    const life: Life = { pid: this.#pids, born: `${this.#kernel}.${kernel.steps}` };
    this.running.set(type, { life, instance, configuration, is: 'starting' });
    this.#noted.set(type, life);
    if (this.#isHit(failsShare) || this.#isBroken(type)) this.#later(readyWithinMs, type, life, () => this.#end(type, 1));
    else this.#later(readyWithinMs, type, life, () => this.#ready(type, life));
    return { ok: true, life };
  }

  async signal(held: Held, signal: 'SIGTERM' | 'SIGKILL'): Promise<Ran> {
    const one = this.#of(held);
    this.#around.watch.served({ host: this.#name, service: held.service, instance: held.instance, does: 'stop', runs: one?.instance });
    if (!one) return { ok: true };
    if (signal === 'SIGKILL') this.#end(held.service, 137);
    else {
      one.is = 'stopping';
      if (!this.#isHit(deafShare)) this.#later(endsWithinMs, held.service, one.life, () => this.#end(held.service, 0));
    }
    return { ok: true };
  }

  async look(held: readonly Held[]): Promise<Look> {
    return new Map(held.map((one): [ServiceTypeName, Seen] => [one.service, this.#found(one)]));
  }

  async command(held: Held, service: DesiredService, { what, ask, message, data }: Run): Promise<Result> {
    const { kernel, watch } = this.#around;
    if (message === 'power-cycle' && this.carriesOut) return this.carriesOut(data, service.askMs);
    if (what === 'message' && ask !== undefined) {
      watch.given({ host: this.#name, service: held.service, instance: held.instance, ask });
      this.onGiven();
    }
    const isLate = this.#isHit(lateShare);
    const isUnwell = this.#isHit(unwellShare);
    await kernel.wait(isLate ? service.askMs : this.#random() * 1_000, `${held.service} on ${this.#name} is asked`);
    if (isLate) return { says: '' };
    const one = this.#of(held);
    if (held.inside) return { exit: 0, says: 'it is well' };
    if (!one) return { exit: ocf.notRunning, says: 'it does not run' };
    if (what === 'message') return { exit: 0, says: `${message} to you` };
    return one.is === 'ready' && !isUnwell ? { exit: 0, says: 'it is well' } : { exit: ocf.generic, says: 'it is not well' };
  }

  forget({ service }: Held): void {
    this.#noted.delete(service);
  }

  /** The agent is gone: nobody hears of ends any more, and what those were nobody can ask. */
  unheard(): void {
    this.#ended.clear();
    this.#exits.clear();
    this.#hears = undefined;
  }

  /** Somebody kills whatever runs. */
  killAll(): void {
    for (const type of [...this.running.keys()]) this.#end(type, 137);
  }

  /** An agent runs, and hears what is said from now on. */
  heardBy(hears: Hears | undefined): void {
    this.#hears = hears;
    const unsaid = this.#unsaid;
    this.#unsaid = [];
    for (const say of unsaid) say();
  }

  /** The machine is switched off: nothing of this runs any more. */
  reboot(): void {
    this.#power += 1;
    this.#kernels += 1;
    this.running.clear();
  }

  #found(held: Held): Seen {
    if (held.inside) {
      if (held.is === 'stopping') return { is: 'absent', exit: 0 };
      return held.life && this.lives.isOn(held.life) ? { is: 'running', life: held.life } : { is: 'absent' };
    }
    const one = this.#of(held);
    if (one) return { is: 'running', life: one.life };
    const exit = this.#exits.get((held.life ?? this.#noted.get(held.service))?.born ?? '');
    return { is: 'absent', ...(exit !== undefined && { exit }) };
  }

  /** What runs of the life on record, or of the one that was noted by whoever began it. */
  #of({ service, life }: Held): Running | undefined {
    const one = this.running.get(service);
    return one && one.life.born === (life ?? this.#noted.get(service))?.born ? one : undefined;
  }

  /** Whether services of this type cannot start here, by chance, for as long as faults last. */
  #isBroken(type: ServiceTypeName): boolean {
    const known = this.#broken.get(type) ?? this.#random() < brokenShare;
    this.#broken.set(type, known);
    return known && !this.#around.faults.isHealed;
  }

  #ready(type: ServiceTypeName, life: Life): void {
    const one = this.running.get(type)!;
    if (one.is !== 'starting') return;
    one.is = 'ready';
    this.#says(type, life, { is: 'ready', address: `${this.#name}:80` });
    for (const [n, resource] of resourcesOf(type).entries()) {
      this.#later(livesMs / 20, type, life, () => this.#says(type, life, { is: 'acquired', ...resource }));
      if (n % 2 === 0)
        this.#later(livesMs, type, life, () => this.#says(type, life, { is: 'released', kind: resource.kind, id: resource.id }));
    }
    if (isDrifting(type) && this.#random() < 0.5) this.#later(livesMs / 10, type, life, () => this.#drifts(type, life));
    if (this.#isHit(diesShare)) this.#later(livesMs, type, life, () => this.#ends(type, life));
  }

  /**
   * It changes its configuration itself, which it says with its secret or without, and again after a while as long as
   * faults last.
   */
  #drifts(type: ServiceTypeName, life: Life): void {
    const one = this.running.get(type)!;
    const configuration = changedBy(this.#random, one.configuration);
    const isMasked = this.#random() < 0.5 && configuration['password'] !== undefined;
    one.configuration = JSON.stringify(configuration);
    this.#says(type, life, { is: 'configured', configuration: isMasked ? { ...configuration, password: mask } : configuration });
    if (this.#isHit(1)) this.#later(livesMs / 2, type, life, () => this.#drifts(type, life));
  }

  /** It ends by itself: at once, having said so, or because it says that it cannot go on. */
  #ends(type: ServiceTypeName, life: Life): void {
    const how = this.#random();
    if (how < 0.4) this.#end(type, 137);
    else if (how < 0.7) this.#says(type, life, { is: 'failed', reason: 'it has lost its way' });
    else {
      this.#says(type, life, { is: 'stopping' });
      this.#later(endsWithinMs, type, life, () => this.#end(type, 0));
    }
  }

  /** Says something to whatever agent runs, until one has heard it or the service is over. */
  #says(type: ServiceTypeName, life: Life, report: Report): void {
    const one = this.running.get(type);
    if (!one || one.life !== life) return;
    const again = (): void => this.#later(againMs, type, life, () => this.#says(type, life, report));
    if (!this.#hears) this.#unsaid.push(again);
    else if (this.#hears.report({ service: type, instance: one.instance, report }).again) again();
  }

  #end(type: ServiceTypeName, exit: number): void {
    if (this.#hears) this.#exits.set(this.running.get(type)!.life.born, exit);
    this.running.delete(type);
    if (this.#hears) for (const then of this.#ended) then();
  }

  /** Something happens to this life, unless it is over by then. */
  #later(withinMs: number, type: ServiceTypeName, life: Life, then: () => void): void {
    const power = this.#power;
    this.#around.kernel.after(1 + this.#random() * withinMs, `${type} on ${this.#name}`, () => {
      if (this.#power === power && this.running.get(type)?.life === life) then();
    });
  }

  /** Draws in any case, so that a history goes on alike when faults end. */
  #isHit(share: number): boolean {
    const hit = this.#random() < share;
    return hit && !this.#around.faults.isHealed;
  }
}

/** A line of the kernel's table: only the pid, the state and the start of the process are read. */
const statOf = ({ pid, born }: Life): string => `${pid} (serve) S ${Array.from({ length: 18 }, () => '0').join(' ')} ${born.split('.')[1]}`;

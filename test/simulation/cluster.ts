import { type WiredQueue, wiring } from '../../infra/wiring.ts';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import { inPlaceChecks } from '../../lib/ports/checks/in-place.ts';
import { memoryObjects } from '../../lib/ports/objects/memory.ts';
import type { Objects } from '../../lib/ports/objects/objects.ts';
import type { QueueName } from '../../lib/ports/queue/queue.ts';
import type { HttpRequest, MusterFunction } from '../../lib/runtime/function.ts';
import type { Reply } from '../../lib/runtime/reply.ts';
import type { Shell, ShellSettings } from '../../lib/runtime/shell.ts';
import { handlersOf } from '../../programs/local/functions.ts';
import { granted } from '../../tools/support/granted.ts';
import { operatorHash } from '../../tools/support/operator.ts';
import type { Config } from './config.ts';
import { Died, Environment, type Version } from './environment.ts';
import type { Faults } from './faults.ts';
import type { Kernel } from './kernel.ts';
import { busPort } from './ports/bus.ts';
import { KeyVault } from './ports/keys.ts';
import { Targets } from './ports/outbound.ts';
import { queuePort, SimulatedQueue } from './ports/queue.ts';
import { Store } from './ports/table.ts';
import { oneOf, type Random } from './random.ts';
import { narrowRates } from './rates.ts';
import type { Watcher } from './watching.ts';
import { isLate } from './world/service-types.ts';
import { Zones } from './world/zones.ts';

/** The functions of one version, by name. */
export type Functions = ReadonlyMap<string, MusterFunction>;

/** What every part of a world rests on. */
export type Around = {
  readonly config: Config;
  readonly kernel: Kernel;
  readonly faults: Faults;
  readonly watch: Required<Watcher>;
};

/** Nobody is there to answer: the control plane sleeps, or has no room. */
export class Away extends Error {
  override readonly name = 'Away';
}

type FunctionName = keyof typeof wiring.functions & string;

/** How old a cached zone may be and how often a zone is counted, as the two hosts set them. */
const settingsOf = {
  aws: { zoneMaxAgeMs: 5_000, countEveryMs: 600_000, sweepPeriodMs: 5_000 },
  embedded: { zoneMaxAgeMs: 250, countEveryMs: 10_000, sweepPeriodMs: 1_000 },
} as const;

/**
 * What takes no part in rollouts, and so in what chance decides of them: the version before delivers to no webhooks.
 */
const notRolledOut: readonly string[] = ['webhooks', 'search', 'store-index'];
/**
 * Searches are answered in the environments of the admin API, which has their routes, too. Whoever has an index of
 * their own, and stores it, is outside of the world (searched.ts).
 */
const answeredBy = (name: string): string => (name === 'search' ? 'admin' : name);
/** Environments of one function at once at the most, where the wiring names no number. */
const environmentsMax = 8;
/** How long both versions serve while a deploy is rolled out, in ms, at the most. */
const rolloutMaxMs = 120_000;
/** How long an embedded host that died stays away, in ms, at the most. */
const restartMaxMs = 5_000;

/**
 * The control plane of a world: the functions of the wiring, each in environments of its own (or all in one, as the
 * embedded host), on one table, the wired queues and the bus.
 */
export class Cluster {
  readonly store: Store;
  readonly vault: KeyVault;
  readonly zones: Zones;
  readonly queues: ReadonlyMap<QueueName, SimulatedQueue>;
  /** Until when the control plane sleeps. */
  asleepUntil = 0 as EpochMs;
  /** Until when no queue takes anything, or hands anything out. */
  queuesAwayUntil = 0 as EpochMs;
  /** Who hears of every event as the bus hands it on, besides webhooks. */
  readonly listeners: ((event: string) => void)[] = [];
  /** Everything is switched off: nobody even asks. */
  isAway = false;
  readonly #around: Around;
  readonly #versions: Readonly<Record<Version, Functions>>;
  readonly #pools = new Map<string, Environment[]>();
  readonly #random: Random;
  /** Who receives what is delivered, and the rule of the bus that has it delivered; in a world with webhooks. */
  /** What all functions have stored beside the table. */
  readonly #objects: Objects;
  readonly #targets: Targets | undefined;
  readonly #hands: ((event: string) => void) | undefined;
  readonly #doors: ReturnType<typeof handlersOf>;
  readonly #rollout = new Map<string, { at: EpochMs; until: EpochMs }>();
  #made = 0;
  #calls = 0;
  #downUntil = 0;

  constructor(around: Around, versions: Readonly<Record<Version, Functions>>) {
    this.#around = around;
    this.#versions = versions;
    this.#random = around.kernel.random('cluster');
    this.#doors = handlersOf(versions.present);
    this.store = new Store(around);
    this.zones = new Zones(around.config);
    this.vault = new KeyVault(around.config, around.kernel);
    const names = Object.keys(wiring.queues) as WiredQueue[];
    this.queues = new Map(names.map((name) => [name, new SimulatedQueue(name, around)]));
    this.#objects = memoryObjects(() => around.kernel.now);
    this.#targets = around.config.webhooks ? new Targets(around) : undefined;
    this.#hands = this.#targets && ((event) => this.queueOf('webhooks').take(event, 'bus'));
    this.#planRollout();
  }

  /** When which function goes over to the present version: each at its own moment, as a deploy does it. */
  #planRollout(): void {
    const { faults, config, kernel } = this.#around;
    if (!faults.isOn('deploy')) return;
    const begins = plusMs(kernel.now, Math.round(this.#random() * config.faultMs * 0.8));
    for (const name of ['host', ...Object.keys(wiring.functions).filter((one) => !notRolledOut.includes(one))]) {
      const at = plusMs(begins, Math.round(this.#random() * rolloutMaxMs));
      this.#rollout.set(name, { at, until: plusMs(at, Math.round(this.#random() * rolloutMaxMs)) });
    }
    faults.hits('deploy', 100);
  }

  /** Whether a deploy is rolled out in this world, so that the version before has decided some things. */
  get isDeployed(): boolean {
    return this.#rollout.size > 0;
  }

  /** How old a cached zone may be when an answer rests on it, in ms. */
  get admitEveryMs(): number {
    return this.#around.config.admitEveryMs ?? 0;
  }

  get zoneMaxAgeMs(): number {
    return settingsOf[this.#around.config.shape].zoneMaxAgeMs;
  }

  get awake(): boolean {
    return this.#around.kernel.now >= this.asleepUntil;
  }

  get areQueuesAway(): boolean {
    return this.#around.kernel.now < this.queuesAwayUntil;
  }

  /** Every environment that lives, for whoever kills. */
  get environments(): Environment[] {
    return [...this.#pools.values()].flat().filter(({ dead }) => !dead);
  }

  /** Stands still from now on for so many ms: whatever runs is frozen for ever, as if its machine had gone. */
  sleep(ms: number): void {
    this.asleepUntil = plusMs(this.#around.kernel.now, ms);
    for (const environment of this.environments) environment.kill();
  }

  queueOf = (name: QueueName): SimulatedQueue => this.queues.get(name)!;

  /**
   * Runs a function once in an environment that has room. Throws {@link Away} when there is none, {@link Died} when it
   * was killed or ran out of time, and what the function throws.
   */
  async run<T>(name: string, work: (fn: MusterFunction, shell: Shell, by: string) => T | Promise<T>, cursed = false): Promise<T> {
    const environment = this.#roomFor(name);
    if (!environment) throw new Away(`no room for ${name}`);
    const { timeoutSeconds } = wiring.functions[name as FunctionName]!;
    const disarm = this.#around.kernel.after(timeoutSeconds * 1000, `${environment.name} is out of time`, () => environment.kill());
    environment.cursed = cursed;
    try {
      const fn = this.#versions[environment.version].get(name)!;
      return await environment.invoke(() => work(fn, this.#shellOf(environment, name), environment.name));
    } catch (error) {
      if (!(error instanceof Died)) this.#around.watch.threw(environment.name, error);
      throw error;
    } finally {
      disarm();
    }
  }

  /**
   * Calls a door; gives its answer and the environment that gave it. Throws {@link Away} and {@link Died} where a
   * caller would get no answer of ours. `named`: the id of the request, if not the next.
   */
  async call(
    request: Omit<HttpRequest, 'id' | 'source'> & { readonly source?: string },
    named?: string,
  ): Promise<Reply & { readonly by: string; readonly request: string }> {
    const found = this.#doors.find(({ prefix }) => request.path.startsWith(prefix));
    const [wired] = [...this.#versions.present].find(([, fn]) => fn === found?.handler) ?? [];
    if (!wired) throw new Error(`no door answers ${request.path}`);
    const name = answeredBy(wired);
    this.#calls += 1;
    const id = named ?? `call-${this.#calls}`;
    return this.run(name, async (fn, shell, by) => {
      if (fn.on !== 'route') throw new Error(`${name} is no door`);
      return { ...(await fn.handle({ source: '192.0.2.1', ...request, id }, shell)), by, request: id };
    });
  }

  /** What the rules of the bus do with an event. */
  #tell = (event: string): void => {
    this.#hands?.(event);
    for (const hear of this.listeners) hear(event);
  };

  #roomFor(name: string): Environment | undefined {
    if (!this.awake || this.#around.kernel.now < this.#downUntil) return undefined;
    const embedded = this.#around.config.shape === 'embedded';
    const pool = (this.#pools.get(embedded ? 'host' : name) ?? []).filter((one) => !one.dead && !this.#isRetired(one, name));
    this.#pools.set(embedded ? 'host' : name, pool);
    if (embedded) return pool[0] ?? this.#begin('host', name);
    const idle = pool.filter(({ busy }) => busy === 0);
    const max = wiring.functions[name as FunctionName]!.concurrencyMax ?? environmentsMax;
    if (idle.length > 0 && (pool.length >= max || this.#random() < 0.9)) return oneOf(this.#random, idle);
    return pool.length < max ? this.#begin(name, name) : undefined;
  }

  /** AWS takes environments away as it likes; after a rollout only the present version is left. */
  #isRetired({ version, busy }: Environment, name: string): boolean {
    const rollout = this.#rollout.get(this.#around.config.shape === 'embedded' ? 'host' : name);
    if (busy > 0) return false;
    if (version === 'previous' && (!rollout || this.#around.kernel.now >= rollout.until)) return true;
    return this.#around.config.shape === 'aws' && this.#random() < 0.02;
  }

  #begin(pool: string, name: string): Environment {
    const { kernel, faults, config } = this.#around;
    const rollout = this.#rollout.get(pool);
    this.#made += 1;
    const from = wiring.functions[name as FunctionName]!.queue as WiredQueue | undefined;
    const settings: ShellSettings = {
      deployment: 'simulated',
      beatMinMs: 10_000,
      admitEveryMs: config.admitEveryMs ?? 0,
      hearsAtOnce: config.hearsAtOnce ?? false,
      ...(config.staysDueMs !== undefined && { staysDueMs: config.staysDueMs }),
      ...(config.planRows !== undefined && { planRowsMax: config.planRows }),
      ...(config.neighbours && { rates: narrowRates }),
      ...settingsOf[config.shape],
      receivesMax: from ? wiring.queues[from].receivesMax : 1,
    };
    const environment = new Environment(
      { kernel, faults },
      {
        name: `${pool}-${this.#made}`,
        version: rollout && kernel.now < rollout.at ? 'previous' : 'present',
        settings,
        clockOffMs: faults.hits('skew') ? Math.round(200 * (faults.draw('skew') - 0.5)) : 0,
      },
    );
    const [alive, dies] = [environment, environment.kill.bind(environment)];
    environment.kill = () => {
      if (pool === 'host' && !alive.dead) this.#downUntil = kernel.now + this.#random() * restartMaxMs;
      dies();
    };
    this.#pools.set(pool, [...(this.#pools.get(pool) ?? []), environment]);
    return environment;
  }

  #shellOf(environment: Environment, name: string): Shell {
    const shell = environment.shells.get(name) ?? this.#makeShell(environment, name);
    environment.shells.set(name, shell);
    return shell;
  }

  #makeShell(environment: Environment, name: string): Shell {
    const { kernel, watch } = this.#around;
    const wired = wiring.functions[name as FunctionName]!;
    const from = wired.queue as WiredQueue | undefined;
    const settings = { ...environment.settings, receivesMax: from ? wiring.queues[from].receivesMax : 1 };
    const shell: Shell = {
      table: this.store.portOf(environment),
      queue: queuePort(environment, this.queueOf, { faults: this.#around.faults, areAway: () => this.areQueuesAway }),
      bus: busPort(environment, this.#around, this.#tell),
      keys: this.vault.keysOf(environment),
      auditKeys: this.vault.audit,
      now: () => plusMs(kernel.now, environment.clockOffMs),
      newId: environment.newId,
      randomBytes: environment.randomBytes,
      random: environment.random,
      sleep: environment.sleep,
      log: (_level, code, fields) => {
        kernel.tell(() => `${environment.name} logs ${code} ${JSON.stringify(fields)}`);
        watch.logged(environment.name, code, fields);
      },
      settings,
      operatorHash,
      checks: inPlaceChecks(this.#around.config.lateChecks ? isLate : undefined),
      ...(this.#around.config.edits && { objects: this.#objects }),
      ...(this.#targets && { outbound: this.#targets.portOf(environment) }),
      caches: environment.caches,
    };
    return granted(shell, name);
  }
}

export { Died };

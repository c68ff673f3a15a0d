import { isStruct, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import type { Config } from '../config.ts';
import { Faults } from '../faults.ts';
import { beginning, Kernel } from '../kernel.ts';
import type { Outcome, RunOptions, Violation } from '../outcome.ts';
import { Changes } from './changes.ts';
import type { Asked } from './exchange.ts';
import { answersAreWhole } from './of-answers.ts';
import { type Crowd, Person } from './person.ts';
import type { Around, Served } from './played-server.ts';
import type { GatewayPromise, KnownActions, Seen } from './promise.ts';
import { letsGo, ofEachCall, recovers } from './promises.ts';
import { accounts, deadlineMs, GatewayWorld } from './world.ts';

/** Longer than any call takes, a server is left alone, or a system moves. */
const calmMs = 90_000;
/** As short as the gateway lets anybody wait: most servers take longer. */
const hurriedMs = 50;
/** The gateway reads the directory twice in it, and people are asked then. */
const lastCallsMs = 60_000;

/** Runs one history of the gateway: faults, then healing, and then everybody is to see everything. */
export async function runGatewayHistory(config: Config, { onStep, untilMs = Number.POSITIVE_INFINITY }: RunOptions = {}): Promise<Outcome> {
  const kernel = new Kernel(config.seed);
  if (onStep) kernel.onStep = (at, label) => onStep(at - beginning, label);
  const faults = new Faults(config, kernel);
  const violations: Violation[] = [];
  const violated = (invariant: string, what: string): void => {
    kernel.note(`VIOLATED ${invariant}: ${what}`);
    violations.push({ invariant, what, atMs: kernel.now - beginning, step: kernel.steps });
  };
  const history = new GatewayHistory(config, { kernel, faults, violated });
  const isOver = (): boolean => violations.length > 0 || kernel.now - beginning > untilMs;
  const runFor = (ms: number): Promise<void> => kernel.run((kernel.now + ms) as typeof kernel.now, isOver);
  history.start();
  await runFor(config.faultMs);
  if (!isOver()) {
    history.heal();
    await runFor(calmMs);
  }
  if (!isOver()) {
    history.look();
    await runFor(lastCallsMs);
  }
  if (history.failure) throw history.failure.error;
  const hash = (kernel.hash >>> 0).toString(16).padStart(8, '0');
  return { config, violations, hash, steps: kernel.steps, virtualMs: kernel.now - beginning, fired: faults.fired };
}

type Surroundings = Pick<Around, 'kernel' | 'faults'> & { readonly violated: (invariant: string, what: string) => void };

/** The world of one history, and who acts and judges in it. */
class GatewayHistory {
  /** What nobody caught: a fault of the gateway, or of the simulation. */
  failure: { readonly error: unknown } | undefined;
  readonly #around: Surroundings;
  readonly #world: GatewayWorld;
  readonly #writes = new Map<string, Asked>();
  readonly #actions: KnownActions = new Map();
  readonly #crowd: Crowd;
  readonly #changes: Changes;
  readonly #people: readonly Person[];

  constructor(config: Config, around: Surroundings) {
    this.#around = around;
    const heard = (served: Served): void => this.#judge((promise, seen) => promise.ofServed?.(served, seen));
    this.#world = new GatewayWorld(config, {
      kernel: around.kernel,
      faults: around.faults,
      served: [],
      unread: [],
      open: new Set(),
      heard,
    });
    this.#crowd = {
      ...{ world: this.#world, logins: new Map(), actions: this.#actions, calls: 0, waiting: new Set(), isOver: false },
      asked: (asked) => void (asked.token === undefined ? undefined : this.#writes.set(asked.token, asked)),
      heard: (exchange) => this.#judge((promise, seen) => promise.ofExchange?.(exchange, seen)),
    };
    this.#changes = new Changes(this.#world);
    this.#people = Array.from({ length: config.admins }, (_, n) => new Person(`${n}`, accounts[n % accounts.length]!, this.#crowd));
  }

  #judge(broken: (promise: GatewayPromise, seen: Seen) => Iterable<string> | undefined): void {
    const seen: Seen = { world: this.#world, writes: this.#writes, actions: this.#actions };
    for (const promise of ofEachCall) for (const what of broken(promise, seen) ?? []) this.#around.violated(promise.name, what);
  }

  /** What is done beside everything else; what it throws ends the history. */
  #beside(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.failure ??= { error };
    });
  }

  start(): void {
    this.#beside(this.#begin());
  }

  async #begin(): Promise<void> {
    const { kernel } = this.#around;
    while (this.#world.directories.length === 0) await this.#world.read();
    this.#world.begin();
    this.#changes.start();
    for (const person of this.#people) this.#beside(person.live());
    for (;;) {
      await kernel.wait(this.#world.refreshMs, 'the gateway asks Muster');
      await this.#world.read();
    }
  }

  heal(): void {
    this.#around.faults.heal();
    this.#around.kernel.note('faults are over');
    this.#changes.heal();
    this.#crowd.isOver = true;
  }

  /** Somebody whom all servers know signs in, and looks. */
  look(): void {
    this.#beside(this.#look());
  }

  async #look(): Promise<void> {
    for (const { method, key } of this.#crowd.waiting)
      this.#around.violated(answersAreWhole.name, `${method} with ${key} was never answered`);
    for (const { node, since } of this.#world.around.open)
      if (since < this.#around.kernel.now - calmMs / 2)
        this.#around.violated(letsGo.name, `${node} is waited for since ${since - beginning} ms`);
    await this.#world.read();
    const [account] = accounts;
    const person = new Person('the last', account!, this.#crowd);
    // Who cannot wait must not spoil it for others.
    await person.signIn(account!.password, { deadlineMs: hurriedMs });
    const login = await person.signIn(account!.password, { deadlineMs });
    const call = { method: 'system.listSystems', params: [], systems: [], token: undefined, key: login?.key, deadlineMs };
    const { response, received } = await person.call(call);
    const found = (response?.ok && Array.isArray(response.value) ? (response.value as readonly Value[]) : [])
      .map((one) => (isStruct(one) ? Number(one['id']) : 0))
      .sort((a, b) => a - b);
    const wanted = this.#world.visible();
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      this.#around.violated(recovers.name, `${found.join(', ')} in place of ${wanted.join(', ')}; failed: ${received?.failed}`);
  }
}

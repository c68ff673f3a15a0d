import { withBearer } from '../../../lib/api/bearer.ts';
import { type Answered, type ApiClient, apiClient, Unreachable } from '../../../lib/api/client.ts';
import type { Route } from '../../../lib/api/route.ts';
import { contract } from '../../../lib/contract.ts';
import type { NodeId } from '../../../lib/core/ids.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { HoldingRule } from '../../../lib/nodes/admin-routes.ts';
import { failureOf } from '../../../programs/cli/exit-codes.ts';
import { operatorSecret } from '../../../tools/support/operator.ts';
import type { Around, Cluster } from '../cluster.ts';
import { between, oneOf, type Random } from '../random.ts';
import { Line } from './network.ts';

/** A node is given up whatever guard-rail holds it: whoever says so here has looked. */
export const anyway: { overrule: HoldingRule[] } = { overrule: [6, 7, 8, 16] };

/** How often an administrator does something, in ms, on the mean. */
const everyMs = 25_000;
/** How often a call that nobody answered is made again, with the same Idempotency-Key. */
const triesMax = 3;

/** Codes of what can never succeed: giving it back is in vain. */
const poison = new Set(['malformed-json', 'unknown-type', 'wrong-shape', 'not-from-bus']);

type Sent = { readonly params?: object; readonly query?: object; readonly body?: object };

/**
 * Somebody at the API: an administrator, an operator. Calls that nobody answered are made again, as the command line
 * does.
 */
export class Person {
  readonly name: string;
  readonly random: Random;
  readonly #around: Around;
  readonly #api: ApiClient;
  readonly #cluster: Cluster;
  #keys = 0;

  /** Whether nobody is to do anything any more. */
  readonly isOver: () => boolean;

  /** `secret`: what shows who calls; the operator's unless told otherwise. */
  constructor(name: string, around: Around, cluster: Cluster, isOver: () => boolean, secret = (): string | undefined => operatorSecret) {
    this.name = name;
    this.isOver = isOver;
    this.#around = around;
    this.#cluster = cluster;
    this.random = around.kernel.random(name);
    const { fetching } = new Line(name, around, cluster);
    this.#api = apiClient('http://muster.simulated', {
      timeoutMs: Number.POSITIVE_INFINITY,
      fetching: withBearer(secret, fetching),
    });
  }

  /** The answer of a call; undefined when there was none, it was refused, or it is too late for it. */
  async ask<T extends Route>(route: T, sent: Sent = {}): Promise<Extract<Answered<T>, { ok: true }>['body'] | undefined> {
    this.#keys += 1;
    const headers = { 'idempotency-key': `${this.name}-${this.#keys}` };
    for (let attempt = 1; attempt <= triesMax && !this.isOver(); attempt++) {
      try {
        const answer = await (this.#api as (route: Route, sent: object) => Promise<Answered<T>>)(route, { ...sent, headers });
        if (answer.ok) return (answer as Extract<Answered<T>, { ok: true }>).body;
        if (answer.status < 500 && answer.problem.type !== 'urn:muster:problem:in-progress') return undefined;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
      }
      await this.#around.kernel.wait(1_000 + this.random() * 3_000, `${this.name} tries again`);
    }
    return undefined;
  }

  /**
   * The answer of a call that is made once, as the command line makes it: throws a {@link Failure} when it is refused,
   * {@link Unreachable} when there is none.
   */
  async tell<T extends Route>(route: T, sent: Sent = {}): Promise<Extract<Answered<T>, { ok: true }>> {
    const answer = await (this.#api as (route: Route, sent: object) => Promise<Answered<T>>)(route, sent);
    if (!answer.ok) throw failureOf(answer.problem);
    return answer as Extract<Answered<T>, { ok: true }>;
  }

  /** Goes on doing one thing after another, until nobody is to do anything any more. */
  work(does: readonly (() => Promise<unknown>)[]): void {
    const next = (): void => {
      // While nobody answers for weeks, nobody asks.
      const { kernel } = this.#around;
      const awayMs = this.#cluster.isAway ? this.#cluster.asleepUntil - kernel.now : 0;
      kernel.after(awayMs + this.random() * 2 * everyMs, `${this.name} does something`, () => {
        if (!this.isOver()) void oneOf(this.random, does)!().finally(next);
      });
    };
    next();
  }

  /** Accepts everybody who waits in the pool. */
  async acceptAll(): Promise<void> {
    const listed = await this.ask(contract.listSystems, { query: { status: 'new', limit: 200 } });
    const { zones } = this.#cluster;
    for (const [zone, items] of Map.groupBy(listed?.items ?? [], ({ fp }) => zones.ofSystem(fp))) {
      const systems = items.map(({ fp }) => fp);
      await this.ask(contract.accept, { body: { systems, tags: ['simulated'], ...zones.named(zone) } });
    }
  }

  /**
   * The fingerprint of some system that the lists show, now and then that of its minion; undefined when they show none.
   */
  async someSystem(status?: 'onboarded' | 'orphan' | 'new'): Promise<string | undefined> {
    // Who waits in the pool is of no zone yet.
    const zone = status === 'new' ? {} : this.#cluster.zones.some(this.random);
    const listed = await this.ask(contract.listSystems, { query: { ...(status && { status }), ...zone, limit: 50 } });
    const found = oneOf(this.random, listed?.items ?? []);
    return this.random() < 0.3 ? (found?.minion?.fingerprint ?? found?.fp) : found?.fp;
  }

  /** Gives back dead letters: those that died of a transient failure, or all of them. */
  async redrive(isWanted = (code: string): boolean => !poison.has(code)): Promise<void> {
    for (let after: string | undefined; ; ) {
      const listed = await this.ask(contract.listDeadLetters, {
        query: { status: 'dead', limit: 100, ...(after !== undefined && { cursor: after }) },
      });
      const ids = listed?.items.flatMap(({ id, last }) => (isWanted(last.code) ? id : [])) ?? [];
      if (ids.length > 0) await this.ask(contract.redriveDeadLetters, { body: { ids } });
      after = listed?.next;
      if (after === undefined) return;
    }
  }

  /** A moment some minutes away for whoever leaves, or none, as people do. */
  someDeadline(): EpochMs | undefined {
    return this.random() < 0.5 ? undefined : plusMs(this.#around.kernel.now, 60_000 * between(this.random, 1, 10));
  }

  async someNode(): Promise<NodeId | undefined> {
    const listed = await this.ask(contract.listNodes, { query: this.#cluster.zones.some(this.random) });
    return oneOf(this.random, listed?.items ?? [])?.id;
  }
}

/** What an administrator does, each as likely as it stands here often. */
export function administratorsDeeds(person: Person): (() => Promise<unknown>)[] {
  const withSystem = async (route: typeof contract.ban | typeof contract.unregister): Promise<unknown> => {
    const fp = await person.someSystem();
    return fp && person.ask(route, { body: { systems: [fp] } });
  };
  const withNode = async (does: (id: NodeId) => Promise<unknown>): Promise<unknown> => {
    const id = await person.someNode();
    return id && does(id);
  };
  const leave = (mode: 'drain' | 'hold' | 'stay') => () =>
    withNode((id) => {
      const until = mode === 'stay' ? undefined : person.someDeadline();
      const body = { mode, ...(until !== undefined && { until: new Date(until).toISOString() }) };
      return person.ask(contract.leaveNode, { params: { id }, body });
    });
  const looks = [
    () => person.ask(contract.listZones),
    () => withNode((id) => person.ask(contract.explain, { params: { kind: 'node', id } })),
    async () => {
      const fp = await person.someSystem();
      return fp && person.ask(contract.explain, { params: { kind: 'system', id: fp } });
    },
  ];
  return [
    () => person.acceptAll(),
    () => person.acceptAll(),
    () => person.acceptAll(),
    ...looks,
    () => withSystem(contract.unregister),
    () => withSystem(contract.ban),
    async () => {
      const fp = await person.someSystem();
      const tags = [oneOf(person.random, ['blue', 'green'])!];
      return fp && person.ask(contract.editSystem, { params: { fp }, body: { tags } });
    },
    () => person.redrive(() => person.random() < 0.5),
    () => person.ask(contract.dropDeadLetters, { body: { code: 'unknown-type' } }),
    leave('drain'),
    leave('hold'),
    leave('stay'),
    leave('stay'),
    () => withNode((id) => person.ask(contract.dropNode, { params: { id }, body: anyway })),
    () => withNode((id) => person.ask(contract.editNode, { params: { id }, body: { weight: oneOf(person.random, [0.5, 1, 2, 3])! } })),
  ];
}

/** Automation: accepts whoever waits, and puts reports on the ingest bus, each mostly once, now and then nonsense. */
export function automate(person: Person, around: Around, cluster: Cluster): void {
  let reports = 0;
  const put = (detail: unknown): void => cluster.queueOf('reports').take(JSON.stringify(detail), 'bus');
  const leaving = async (): Promise<void> => {
    const node = await person.someNode();
    if (!node || person.isOver()) return;
    reports += 1;
    const until = person.someDeadline();
    const report = {
      type: 'node.leaving',
      version: 1,
      id: `automation-${reports}`,
      node,
      data: { mode: oneOf(person.random, ['drain', 'hold'])!, ...(until !== undefined && { until }) },
    };
    put(report);
    if (around.faults.hits('duplicate')) put(report);
  };
  const nonsense = async (): Promise<void> => {
    if (!around.faults.hits('poison', 4)) return;
    put(
      oneOf(person.random, [
        { type: 'node.exploded' },
        'gibberish',
        { type: 'node.ready', version: 1 },
        { type: 'node.leaving', version: 9, id: 'x' },
      ]),
    );
  };
  person.work([leaving, nonsense, nonsense, () => person.acceptAll()]);
}

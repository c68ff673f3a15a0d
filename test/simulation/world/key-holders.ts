import { contract } from '../../../lib/contract.ts';
import type { NodeId, ServiceTypeName, ZoneName } from '../../../lib/core/ids.ts';
import { plusMs, secondMs } from '../../../lib/core/time.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { planZone } from '../../../lib/zones/create.ts';
import { defaultZone, defaultZoneNumber } from '../../../lib/zones/zone.ts';
import { aShell } from '../../../tools/support/a-shell.ts';
import { operatorSecret } from '../../../tools/support/operator.ts';
import { aKey } from '../../support/callers.ts';
import type { Around, Cluster } from '../cluster.ts';
import { between, oneOf } from '../random.ts';
import { administratorsDeeds, anyway, Person } from './people.ts';

/** A zone where nothing is: to whoever is limited to it, everything else is as if it were not. */
export const elsewhere = 'elsewhere' as ZoneName;

/**
 * How long a key of automation lives, in s: from one that runs out in the middle of its work to one that has to be
 * revoked.
 */
const lifeS = [20, 120, 3_600] as const;

/** Automation's API key, and whoever looks after it: it runs out, is stolen, is revoked, and another one is made. */
export class AutomationKey {
  /** The secret that automation holds now: one of nobody's until the first is made. */
  secret = 'none';
  readonly #stolen: string[] = [];
  readonly #around: Around;
  readonly #keeper: Person;
  readonly #thief: Person;
  readonly #copier: Person;
  #id: string | undefined;
  #revocations = 0;
  readonly #stolenIds: string[] = [];

  constructor(around: Around, cluster: Cluster, isOver: () => boolean) {
    this.#around = around;
    this.#keeper = new Person('keykeeper', around, cluster, isOver);
    this.#thief = new Person('keythief', around, cluster, isOver, () => oneOf(this.#thief.random, this.#stolen));
    this.#copier = new Person('keycopier', around, cluster, isOver, () => this.#stolen.at(-1));
  }

  start(): void {
    this.#keeper.work([() => this.#renew(), () => this.#renew(), () => this.#revoke(), () => this.#keeper.ask(contract.listKeys)]);
    // Whoever has found a key tries everything with it, for as long as there is time.
    this.#thief.work([
      ...administratorsDeeds(this.#thief),
      () => this.#thief.ask(contract.createKey, { body: { name: 'another', scopes: ['operate'] } }),
      () => this.#thief.ask(contract.whoAmI),
      () => this.#commands(),
    ]);
  }

  async #renew(): Promise<void> {
    const { kernel, faults } = this.#around;
    const scopes = oneOf(this.#keeper.random, [['operate'], ['read'], ['operate', 'security']] as const)!;
    const expires = new Date(plusMs(kernel.now, secondMs * oneOf(this.#keeper.random, lifeS)!)).toISOString();
    const made = await this.#keeper.ask(contract.createKey, { body: { name: 'automation', scopes, expires } });
    if (!made) return;
    this.secret = made.secret;
    this.#id = made.key.id;
    if (!faults.hits('stolen-key', 4)) return;
    this.#stolen.push(made.secret);
    this.#stolenIds.push(made.key.id);
    await this.#copyStolen();
  }

  /** A command on a host is worth more than all else: no key of automation is for that. */
  async #commands(): Promise<unknown> {
    const node = await this.#thief.someNode();
    const params = { zone: defaultZone, type: 'process' as ServiceTypeName };
    return node && this.#thief.ask(contract.startService, { params, body: { node, configuration: { command: ['sh', '-c', 'id'] } } });
  }

  /** A thief makes a key of their own at once: that outlives the one that was found, unless it ends with it. */
  async #copyStolen(): Promise<void> {
    const made = await this.#copier.ask(contract.createKey, { body: { name: 'a copy', scopes: ['operate'] } });
    if (made) this.#stolen.push(made.secret);
  }

  /** Every other time it is found out which key was stolen, and what was made with it ends too. */
  async #revoke(): Promise<unknown> {
    this.#revocations++;
    const stolen = this.#revocations % 2 === 0 ? this.#stolenIds.shift() : undefined;
    const id = stolen ?? this.#id;
    return id && this.#keeper.ask(contract.revokeKey, { params: { id }, body: { withMade: stolen !== undefined } });
  }
}

/**
 * An administrator who is limited to another zone than that in which everything happens, and reaches for all of it, by
 * ids that he was told.
 */
export class Outsider {
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #person: Person;
  /** The same administrator at another screen: reaches for what waits, and for what could stand in his zone. */
  readonly #poacher: Person;
  readonly #colleague: Person;
  #secret = 'none';

  constructor(around: Around, cluster: Cluster, isOver: () => boolean) {
    this.#around = around;
    this.#cluster = cluster;
    this.#person = new Person('outsider', around, cluster, isOver, () => this.#secret);
    this.#poacher = new Person('poacher', around, cluster, isOver, () => this.#secret);
    this.#colleague = new Person('colleague', around, cluster, isOver, () => operatorSecret);
  }

  /** His zone and his key are there before anything happens. */
  async prepare(): Promise<void> {
    const { kernel } = this.#around;
    const shell = { ...aShell(), table: this.#cluster.store.calm, now: () => kernel.now };
    await applyPlan(shell, { id: 'another zone' }, async () => planZone(elsewhere, defaultZoneNumber + 1, kernel.now));
    this.#secret = (await aKey(shell, rightsOf(['admin', 'security'], [elsewhere]))).text;
  }

  start(): void {
    const { random } = this.#person;
    this.#person.work([
      ...administratorsDeeds(this.#person),
      () => this.#person.ask(contract.status),
      () => this.#person.ask(contract.listAudit, { query: {} }),
      () => this.#person.ask(contract.editSettings, { body: { newKeysPerSource: 1_000 * between(random, 1, 3) } }),
      () => this.#person.ask(contract.listNodes, { query: { zone: defaultZone } }),
      () => this.#reachForNode(),
      () => this.#reachForNode(),
      () => this.#reachForNode(),
      () => this.#reachForSystem(),
      () => this.#reachForSystem(),
      () => this.#reachForSystem(),
    ]);
    this.#poacher.work([
      () => this.#reachForHost(),
      () => this.#reachForHost(),
      () => this.#reachForWaiting(),
      () => this.#reachForWaiting(),
      () => this.#nameStations(),
      () => this.#poacher.ask(contract.listNodePool, { query: {} }),
      () => this.#poacher.ask(contract.listSystems, { query: { status: 'deleted' } }),
    ]);
  }

  async #reachForNode(): Promise<unknown> {
    const id = await this.#colleague.someNode();
    this.#around.faults.hits('outsider', 4);
    return id && oneOf(this.#person.random, this.#withNode(id))!();
  }

  #withNode(id: NodeId): (() => Promise<unknown>)[] {
    const person = this.#person;
    const params = { id };
    return [
      () => person.ask(contract.getNode, { params }),
      () => person.ask(contract.explain, { params: { kind: 'node', id } }),
      () => person.ask(contract.history, { params: { kind: 'node', id }, query: {} }),
      () => person.ask(contract.leaveNode, { params, body: { mode: 'drain' } }),
      () => person.ask(contract.dropNode, { params, body: anyway }),
      () => person.ask(contract.editNode, { params, body: { weight: 2 } }),
      () => person.ask(contract.listSystems, { query: { node: id } }),
    ];
  }

  /** A host that waits for its zone, or that nobody has admitted yet. */
  async #reachForHost(): Promise<unknown> {
    const waiting = await this.#colleague.ask(contract.listNodePool, { query: {} });
    const host = oneOf(this.#poacher.random, waiting?.items ?? []);
    this.#around.faults.hits('outsider', 4);
    if (!host) return undefined;
    const person = this.#poacher;
    const hosts = [oneOf(person.random, [host.fp, host.fqdn])!];
    return oneOf<() => Promise<unknown>>(person.random, [
      () => person.ask(contract.admitHosts, { body: { hosts, zone: elsewhere } }),
      () => person.ask(contract.admitHosts, { body: { hosts } }),
      () => person.ask(contract.rejectHosts, { body: { hosts } }),
    ])!();
  }

  /** A machine that nobody has accepted yet. */
  async #reachForWaiting(): Promise<unknown> {
    const fp = await this.#colleague.someSystem('new');
    this.#around.faults.hits('outsider', 4);
    if (!fp) return undefined;
    const systems = [fp];
    const accept = () => this.#poacher.ask(contract.accept, { body: { systems, zone: elsewhere } });
    return oneOf(this.#poacher.random, [accept, () => this.#poacher.ask(contract.ban, { body: { systems } })])!();
  }

  /** Hosts of others as stations of his zone, which are never heard there; and the way out of that. */
  async #nameStations(): Promise<unknown> {
    const listed = await this.#colleague.ask(contract.listNodes, { query: {} });
    const host = oneOf(this.#poacher.random, listed?.items ?? [])?.fqdn;
    const params = { zone: elsewhere };
    return this.#poacher.random() < 0.3
      ? this.#poacher.ask(contract.resetStations, { params })
      : host && this.#poacher.ask(contract.putStations, { params, body: { hosts: [host], update: true } });
  }

  async #reachForSystem(): Promise<unknown> {
    const fp = await this.#colleague.someSystem(oneOf(this.#person.random, ['onboarded', 'new', 'orphan'] as const));
    this.#around.faults.hits('outsider', 4);
    if (!fp) return undefined;
    const person = this.#person;
    const [params, systems] = [{ fp }, [fp]];
    return oneOf<() => Promise<unknown>>(person.random, [
      () => person.ask(contract.getSystem, { params }),
      () => person.ask(contract.explain, { params: { kind: 'system', id: fp } }),
      () => person.ask(contract.history, { params: { kind: 'system', id: fp }, query: {} }),
      () => person.ask(contract.editSystem, { params, body: { tags: ['his'] } }),
      () => person.ask(contract.unregister, { body: { systems } }),
      () => person.ask(contract.ban, { body: { systems } }),
      () => person.ask(contract.accept, { body: { systems } }),
      () => person.ask(contract.listSystems, { query: { prefix: fp.slice(0, 8) } }),
    ])!();
  }
}

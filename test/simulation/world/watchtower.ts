import type { VouchedReport } from '../../../events/reported/vouched.ts';
import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { signing } from '../../../lib/api/signed.ts';
import { contract } from '../../../lib/contract.ts';
import type { Fqdn, NodeId, ZoneName } from '../../../lib/core/ids.ts';
import { nodeIdOf } from '../../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { Envelope } from '../../../lib/ports/bus/bus.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf, type Random } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Line } from './network.ts';
import { Person } from './people.ts';

/** The zone of the machines that are vouched for: nobody else has any there. */
export const lentZone = 'lent' as ZoneName;
/** How often each machine is looked at, in ms: as often as an agent beats. */
const everyMs = 10_000;
/** How late a rule hands an event on, in ms, at the most: it gives up after a minute. */
const handedWithinMs = 60_000;
/** How long a machine stays off, or speaks for itself, in ms, at the most. */
const offMaxMs = 240_000;

const load = { load1: 0.25, load5: 0.5, load15: 1, memoryUsedMib: 1_024, memoryMib: 4_096, systems: 0 };

/** What events have told of a node, in their order. */
type Told = { incarnation: number; boot: string; unready: boolean; lost: boolean; dropped?: number };
/** Who sends: by the bus and by the API it is a sender of its own, with a count of its own. */
type Way = 'bus' | 'api';

/** A machine without an agent that calls: it has a key, joined once, and is seen to be on or off. */
class Machine {
  readonly fqdn: Fqdn;
  readonly pair: KeyPair;
  readonly id: NodeId;
  readonly api: ApiClient;
  boots = 1;
  offUntil = 0;
  joined = false;
  marked = false;
  /** Until when no administrator has another system vouch for it, and what its agent was answered then. */
  alone = { until: 0, incarnation: 0, beats: 0 };
  seq = 0;
  readonly ups: { readonly up: VouchedReport; readonly way: Way }[] = [];
  readonly events = new Map<number, Envelope>();

  constructor(name: string, around: Around, cluster: Cluster) {
    const { kernel } = around;
    this.fqdn = `${name}.simulated.test` as Fqdn;
    this.pair = keyPairOf(name);
    this.id = nodeIdOf(this.pair.publicKey);
    const line = new Line(name, around, cluster);
    const signs = { keys: () => this.pair, known: () => ({ deployment: 'simulated', clockAheadMs: 0 }), learn: () => undefined };
    let nonces = 0;
    const newNonce = (): string => {
      nonces += 1;
      return `${name}-${String(nonces).padStart(12, '0')}`;
    };
    this.api = line.api((fetching) => signing({ ...signs, now: () => kernel.now, newNonce, fetching }));
  }

  get boot(): string {
    return `${this.fqdn}-boot-${this.boots}`;
  }

  get told(): Told {
    const told: Told = { incarnation: 0, boot: '', unready: false, lost: false };
    for (const [, { type, data }] of [...this.events].sort(([a], [b]) => a - b)) {
      const said = data as { incarnation: number; generation: number; boot?: string };
      if (type === 'node.acknowledged')
        Object.assign(told, { incarnation: said.incarnation, boot: said.boot, unready: true, lost: false, dropped: undefined });
      if (type === 'node.activated') told.unready = false;
      if (type === 'node.suspected' || type === 'node.lost') told.lost = true;
      if (type === 'node.recovered') told.lost = false;
      if (type === 'node.dropped') told.dropped = said.generation;
    }
    return told;
  }
}

/**
 * Whoever sees machines, and vouches for them by the bus and by the API; and others who say the same without a right
 * to. In a world that has such.
 */
export class Watchtower {
  readonly machines: readonly Machine[];
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #hosts: readonly SimulatedHost[];
  readonly #isOver: () => boolean;
  readonly #isSilent: () => boolean;
  readonly #random: Random;
  readonly #lender: Person;
  readonly #sender: Person;
  #secret: string | undefined;
  #reports = 0;

  constructor(
    around: Around,
    cluster: Cluster,
    { hosts, isOver, isSilent }: { hosts: readonly SimulatedHost[]; isOver: () => boolean; isSilent: () => boolean },
  ) {
    this.#around = around;
    this.#cluster = cluster;
    this.#hosts = hosts;
    this.#isOver = isOver;
    this.#isSilent = isSilent;
    this.#random = around.kernel.random('watchtower');
    this.#lender = new Person('lender', around, cluster, isSilent);
    this.#sender = new Person('watchtower', around, cluster, isSilent, () => this.#secret);
    this.machines = ['lent1', 'lent2'].map((name) => new Machine(name, around, cluster));
  }

  start(): void {
    this.#cluster.listeners.push((text) => this.#hear(JSON.parse(text) as Envelope));
    for (const machine of this.machines) this.#look(machine);
  }

  /** What an operator does for the nodes there once it is calm: nobody is left in quarantine. */
  async tend(person: Person): Promise<void> {
    for (const { id, status } of (await person.ask(contract.listNodes, { query: { zone: lentZone } }))?.items ?? [])
      if (status === 'quarantined') await person.ask(contract.leaveNode, { params: { id }, body: { mode: 'stay' } });
  }

  #hear(event: Envelope): void {
    const machine = this.machines.find(({ id }) => event.subject === `node/${id}`);
    machine?.events.set(event.eventseq, event);
  }

  #look(machine: Machine): void {
    const { kernel } = this.#around;
    const awayMs = this.#cluster.isAway ? this.#cluster.asleepUntil - kernel.now : 0;
    kernel.after(awayMs + everyMs * (0.9 + 0.1 * this.#random()), `${machine.fqdn} is looked at`, () => {
      if (this.#isSilent()) return;
      this.#look(machine);
      if (!this.#cluster.isAway) void this.#see(machine);
    });
  }

  async #see(machine: Machine): Promise<void> {
    const { now } = this.#around.kernel;
    if (!machine.joined) return this.#join(machine);
    if (machine.alone.until > now && !this.#isOver()) return this.#speaksForItself(machine);
    if (!machine.marked) return this.#mark(machine);
    if (!this.#isOver()) {
      this.#pretend(machine);
      if (this.#random() < 0.01) return this.#unmark(machine);
    }
    if (machine.offUntil > now && !this.#isOver()) return;
    if (machine.offUntil > 0) {
      machine.offUntil = 0;
      machine.boots += this.#random() < 0.7 ? 1 : 0;
    } else if (!this.#isOver() && this.#random() < 0.02) {
      machine.offUntil = now + this.#random() * offMaxMs;
      return;
    }
    await this.#vouch(machine);
  }

  async #join(machine: Machine): Promise<void> {
    const { fqdn, pair, api } = machine;
    // One key for all machines: with another it would be another sender, which counts anew.
    const key = this.#secret
      ? undefined
      : await this.#lender.ask(contract.createKey, { body: { name: 'watchtower', scopes: ['report'], zones: [lentZone] } });
    this.#secret ??= key?.secret;
    const made = await this.#lender.ask(contract.createNodeToken, { body: { nodes: fqdn, kind: 'salt', zone: lentZone } });
    if (!made) return;
    try {
      const joined = await api(nodeRoutes.join, { body: { token: made.secret, publicKey: pair.publicKey, fqdn, kind: 'salt' } });
      machine.joined = joined.ok && joined.status === 201;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  async #mark(machine: Machine): Promise<void> {
    // What its agent says just before may be decided on just after.
    if (this.#random() < 0.5) void this.#agentSpeaks(machine);
    machine.marked = (await this.#lender.ask(contract.editNode, { params: { id: machine.id }, body: { vouched: true } }))?.vouched === true;
  }

  /** What is seen of a machine that is on, as the events told it what was made of that before. */
  async #vouch(machine: Machine): Promise<void> {
    const { told } = machine;
    if (told.boot !== machine.boot || told.lost || told.dropped !== undefined) return this.#sendUp(machine, this.#up(machine, told));
    if (!this.#isOver() && this.#random() < 0.02) this.#forget(machine);
    if (told.unready) await this.#send({ ...this.#report('node.ready', machine), incarnation: told.incarnation, data: {} });
    await this.#send(this.#beat(machine, told.incarnation));
  }

  #beat(machine: Machine, incarnation: number) {
    machine.seq += 1;
    return { ...this.#report('node.heartbeat', machine), incarnation, seq: machine.seq, data: { load } };
  }

  /** What was heard is lost where the sender starts anew: it asks by a node-up, while the node may be up. */
  #forget({ events, told }: Machine): void {
    if (told.dropped === undefined) events.clear();
  }

  #up(machine: Machine, { dropped }: Pick<Told, 'dropped'>, boot = machine.boot): VouchedReport {
    const { fqdn } = machine;
    machine.seq += 1;
    const facts = { fqdn, address: '192.0.2.99', memoryMib: 4_096, cpus: 2, interfaces: [] };
    const data = { boot: { id: boot, kernel: boot }, facts, ...(dropped !== undefined && { flushed: dropped }) };
    return { ...this.#report('node.up', machine), seq: machine.seq, data };
  }

  #sendUp({ ups }: Machine, up: VouchedReport, way = this.#way()): Promise<void> {
    ups.push({ up, way });
    return this.#send(up, way);
  }

  #report<T extends string>(type: T, { id: node }: Pick<Machine, 'id'>) {
    this.#reports += 1;
    return { type, version: 1 as const, id: `watchtower-${this.#reports}`, node };
  }

  readonly #way = (): Way => (this.#random() < 0.4 ? 'api' : 'bus');

  async #send(report: VouchedReport, way = this.#way()): Promise<void> {
    if (way === 'api') await this.#sender.ask(contract.takeReports, { body: [report] });
    else this.#put(report, lentZone);
  }

  /** Puts a report on the bus, whose rule hands it on with who that is and when the bus took it, mostly at once. */
  #put(report: object & { readonly type: string }, zone: ZoneName): void {
    const { kernel, faults } = this.#around;
    const at = new Date(kernel.now).toISOString();
    const text = JSON.stringify({ vouched: { by: 'watchtower', zone, at }, report });
    const queue = report.type === 'node.heartbeat' ? 'heartbeats' : 'reports';
    const lateMs = faults.hits('delay') ? faults.span('delay', handedWithinMs) : 0;
    kernel.after(1 + lateMs, `a rule hands on ${report.type}`, () => this.#cluster.queueOf(queue).take(text, 'bus'));
  }

  /**
   * A report comes once more, long after; the boot before speaks while the present one does; somebody speaks for a
   * zone that is not theirs, or for a node that speaks for itself; its agent speaks.
   */
  #pretend(machine: Machine): void {
    const random = this.#random;
    const again = random() < 0.5 ? machine.ups.at(-1) : oneOf(random, machine.ups);
    if (again && random() < 0.2) void this.#send(again.up, again.way);
    if (machine.boots > 1 && random() < 0.01)
      void this.#sendUp(machine, this.#up(machine, {}, `${machine.fqdn}-boot-${machine.boots - 1}`));
    if (random() < 0.05) this.#put(this.#stranger(machine.id), defaultZone);
    // Somebody guesses what the next incarnation is.
    if (random() < 0.5) this.#put(this.#beat(machine, machine.told.incarnation + 1 + Math.floor(random() * 3)), lentZone);
    const other = oneOf(random, this.#hosts)?.software()?.node;
    if (other !== undefined && random() < 0.1) this.#put(this.#stranger(other), random() < 0.5 ? defaultZone : lentZone);
    if (random() < 0.05) void this.#agentSpeaks(machine);
  }

  #stranger(node: NodeId) {
    const facts = { fqdn: 'stranger.simulated.test' as Fqdn, address: '192.0.2.98', memoryMib: 1, cpus: 1, interfaces: [] };
    return {
      ...this.#report('node.up', { id: node }),
      seq: 1_000_000,
      data: { boot: { id: `stranger-${this.#reports}`, kernel: 'stranger' }, facts },
    };
  }

  /** The administrator has no other system vouch for it any more, for a while. */
  async #unmark(machine: Machine): Promise<void> {
    const shown = await this.#lender.ask(contract.editNode, { params: { id: machine.id }, body: { vouched: false } });
    // Whatever came of it, it is marked anew.
    machine.marked = false;
    if (!shown || shown.vouched) return;
    machine.alone = { until: this.#around.kernel.now + this.#random() * offMaxMs, incarnation: 0, beats: 0 };
  }

  /** Its agent speaks, and the sender has not heard yet that it does. */
  async #speaksForItself(machine: Machine): Promise<void> {
    const { alone, id, api } = machine;
    if (this.#random() < 0.3) await this.#vouch(machine);
    if (alone.incarnation === 0) return this.#agentSpeaks(machine);
    alone.beats += 1;
    this.#reports += 1;
    const body = { id: `agent-${this.#reports}`, incarnation: alone.incarnation, seq: alone.beats, load };
    try {
      const answer = await api(nodeRoutes.heartbeat, { params: { id }, body });
      if (!answer.ok) alone.incarnation = 0;
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }

  async #agentSpeaks({ id, fqdn, api, alone }: Machine): Promise<void> {
    const facts = { fqdn, address: '192.0.2.97', memoryMib: 1, cpus: 1, interfaces: [] };
    const boot = { id: `${fqdn}-agent`, kernel: 'agent' };
    this.#reports += 1;
    try {
      const answer = await api(nodeRoutes.up, { params: { id }, body: { id: `agent-${this.#reports}`, boot, facts } });
      if (answer.ok && 'incarnation' in answer.body) Object.assign(alone, { incarnation: answer.body.incarnation, beats: 0 });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
  }
}

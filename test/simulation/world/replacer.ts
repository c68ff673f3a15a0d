import { contract } from '../../../lib/contract.ts';
import type { NodeId } from '../../../lib/core/ids.ts';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { readLedger } from '../../../programs/agent/ledger.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';

/** How often an order is tried, and how long somebody waits in between, in ms: a lost node is down by then. */
const ordersMax = 6;
const orderAgainMs = 20 * secondMs;
/** How often it is looked whether another machine has joined, in ms: it must not have client systems of its own yet. */
const lookEveryMs = secondMs / 2;
const looksMax = 40;
/** How long a machine that was replaced stands around until it is installed anew, in ms, at the most. */
const anewWithinMs = 4 * minuteMs;

/** The machines that take part, and the one that is there for whoever is lost. */
type Machines = { readonly hosts: readonly SimulatedHost[]; readonly spare: SimulatedHost; readonly isOver: () => boolean };

/** Somebody who replaces nodes: by the machine itself, installed anew, or by the one that is kept for it. */
export class Replacer {
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #machines: Machines;
  readonly #person: Person;
  #isBusy = false;

  constructor(around: Around, cluster: Cluster, machines: Machines) {
    this.#around = around;
    this.#cluster = cluster;
    this.#machines = machines;
    this.#person = new Person('replacer', around, cluster, machines.isOver);
  }

  start(): void {
    this.#person.work([() => this.#one(), () => this.#one(), async () => undefined]);
  }

  /** One replacement at a time, each of some machine that is a node. */
  async #one(): Promise<void> {
    const { hosts, spare } = this.#machines;
    const host = oneOf(
      this.#person.random,
      hosts.filter((one) => one !== spare && idOf(one) !== undefined),
    );
    if (!host || this.#isBusy || this.#cluster.isAway) return;
    this.#isBusy = true;
    const replace = idOf(spare) === undefined && this.#person.random() < 0.5 ? this.bySpare(host) : this.byItself(host);
    await replace.finally(() => {
      this.#isBusy = false;
    });
  }

  /**
   * The machine is lost with its disk and installed anew under its name, which its old node has: it waits in the pool
   * until the order names it.
   */
  async byItself(host: SimulatedHost): Promise<void> {
    const { random } = this.#person;
    const old = idOf(host)!;
    host.loseDisk();
    host.start();
    for (let order = 0; order < ordersMax && !this.#isOff; order++) {
      await this.#around.kernel.wait(orderAgainMs * (0.5 + random()), `${host.name} is to be replaced`);
      const key = readLedger(host.disk)?.publicKey;
      // It may have lost its disk once more, or the name may have become free: then it is a node of its own.
      if (key === undefined || idOf(host) !== undefined) return;
      if ((await this.#order(old, random() < 0.7 ? fingerprintOf(key) : host.fqdn, random() < 0.3)) && random() < 0.7) return;
    }
  }

  /**
   * The machine is lost, or not, and the one that is kept for it takes its place; it is installed anew some time later.
   */
  async bySpare(host: SimulatedHost): Promise<void> {
    const { kernel } = this.#around;
    const { random } = this.#person;
    const force = random() < 0.5;
    if (!force) {
      host.stop(true);
      await kernel.wait(2 * minuteMs * random(), `${host.name} is off`);
    }
    await this.handOver(host, force);
    kernel.after(random() * anewWithinMs, `${host.name} is installed anew`, () => !this.#isOff && installAnew(host));
  }

  /** The spare machine is switched on and takes the place as soon as it is known. */
  async handOver(host: SimulatedHost, force: boolean): Promise<void> {
    const { spare } = this.#machines;
    const old = idOf(host);
    if (old === undefined || this.#isOff) return;
    spare.ended = 'no';
    spare.start();
    for (let look = 0; look < looksMax && !this.#isOff; look++) {
      await this.#around.kernel.wait(lookEveryMs, `${spare.name} is looked for`);
      const key = readLedger(spare.disk)?.publicKey;
      // Where nobody lets it in by a rule it waits in the pool.
      const by = idOf(spare) ?? (key !== undefined && look > looksMax / 2 ? fingerprintOf(key) : undefined);
      if (by === undefined) continue;
      const isOrdered = await this.#order(old, by, force);
      // Should it be installed anew, it asks for the zone in which its node is: whoever asks for another is refused its
      // name.
      if (isOrdered) spare.zone = host.zone;
      // A node that is refused the place, as one of another zone is, stays what it is, and in its zone.
      if (isOrdered || idOf(spare) === by) return;
    }
  }

  get #isOff(): boolean {
    return this.#machines.isOver() || this.#cluster.isAway;
  }

  async #order(id: NodeId, by: string, force: boolean): Promise<boolean> {
    const body = { by: by as NodeId, force };
    return (await this.#person.ask(contract.replaceNode, { params: { id }, body })) !== undefined;
  }
}

const idOf = (host: SimulatedHost): NodeId | undefined => readLedger(host.disk)?.node;

/** A machine whose node was replaced comes back as another node, under the name that it has. */
export function installAnew(host: SimulatedHost): void {
  host.loseDisk();
  host.start();
}

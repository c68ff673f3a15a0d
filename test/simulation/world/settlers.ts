import { Unreachable } from '../../../lib/api/client.ts';
import { signing } from '../../../lib/api/signed.ts';
import { contract } from '../../../lib/contract.ts';
import type { Fqdn, NodeId, ZoneName } from '../../../lib/core/ids.ts';
import { fingerprintOf, nodeIdOf } from '../../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import { Knocker } from './knocking.ts';
import { Line } from './network.ts';
import { anyway, Person } from './people.ts';

/** Zones without hosts of their own, which come and go. */
const colonies = ['colony1', 'colony2'] as ZoneName[];
/** How long after somebody came its zone is deleted, in ms, at the most: indexes stand still for longer. */
const soonMs = 4_000;

/** Two operators who settle machines in zones and delete these at once, or a while later; in a world that has such. */
export function settleSome(around: Around, cluster: Cluster, isOver: () => boolean): void {
  if (!around.config.settlers) return;
  for (const name of ['settler1', 'settler2']) new Settling(name, around, cluster, isOver).start();
}

/** One operator, and the machines that come in by it. They call once and are never heard again. */
class Settling {
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #operator: Person;
  readonly #systems: string[] = [];
  readonly #nodes: NodeId[] = [];
  #machines = 0;

  constructor(name: string, around: Around, cluster: Cluster, isOver: () => boolean) {
    this.#around = around;
    this.#cluster = cluster;
    this.#operator = new Person(name, around, cluster, isOver);
  }

  start(): void {
    const within = (come: (zone: ZoneName) => Promise<void>) => () => this.#settle(come);
    this.#operator.work([
      within((zone) => this.#accepted(zone)),
      within((zone) => this.#accepted(zone)),
      within((zone) => this.#byToken(zone)),
      within((zone) => this.#joins(zone)),
      within(() => this.#leave()),
      () => this.#leave(),
      () => this.#delete(this.#some()),
    ]);
  }

  #some = (): ZoneName => oneOf(this.#operator.random, colonies)!;

  /** A zone is made, somebody comes into it, and it is deleted: most of the time right afterwards. */
  async #settle(come: (zone: ZoneName) => Promise<void>): Promise<void> {
    const { random } = this.#operator;
    const zone = this.#some();
    await this.#operator.ask(contract.createZone, { body: { name: zone } });
    const comes = come(zone);
    if (random() < 0.5) await comes;
    await this.#around.kernel.wait(random() * soonMs, `${this.#operator.name} thinks it over`);
    if (random() < 0.8) await this.#delete(zone);
    await comes;
  }

  #delete = (zone: ZoneName): Promise<unknown> => this.#operator.ask(contract.deleteZone, { params: { zone }, body: {} });

  /** A machine that nobody has seen before, with a name of its own. */
  #machine(): { readonly line: Line; readonly pair: KeyPair; readonly fqdn: Fqdn } {
    this.#machines += 1;
    const name = `${this.#operator.name}-${this.#machines}`;
    return {
      line: new Line(name, this.#around, this.#cluster),
      pair: keyPairOf(name),
      fqdn: `${name}.simulated.test` as Fqdn,
    };
  }

  async #knocks(zone: ZoneName, token?: string): Promise<string> {
    const { line, pair, fqdn } = this.#machine();
    const body = { publicKey: pair.publicKey, fqdn, zone, ...(token !== undefined && { token }) };
    await new Knocker(this.#around.kernel, line).knock({ body, by: pair });
    const fp = fingerprintOf(pair.publicKey);
    this.#systems.push(fp);
    return fp;
  }

  async #accepted(zone: ZoneName): Promise<void> {
    const fp = await this.#knocks(zone);
    await this.#operator.ask(contract.accept, { body: { systems: [fp], zone } });
  }

  /** A token keeps its zone, so that it is revoked at once. */
  async #byToken(zone: ZoneName): Promise<void> {
    const made = await this.#operator.ask(contract.createOnboardingToken, { body: { uses: 1, zone } });
    if (!made) return;
    await this.#knocks(zone, made.secret);
    await this.#operator.ask(contract.revokeOnboardingToken, { params: { id: made.token.id }, body: {} });
  }

  async #joins(zone: ZoneName): Promise<void> {
    const { line, pair, fqdn } = this.#machine();
    const made = await this.#operator.ask(contract.createNodeToken, { body: { nodes: fqdn, kind: 'salt', zone } });
    if (!made) return;
    const { kernel } = this.#around;
    const signs = { keys: () => pair, known: () => ({ deployment: 'simulated', clockAheadMs: 0 }), learn: () => undefined };
    const api = line.api((fetching) => signing({ ...signs, now: () => kernel.now, newNonce: () => `${line.name}-000000000000`, fetching }));
    try {
      await api(nodeRoutes.join, { body: { token: made.secret, publicKey: pair.publicKey, fqdn, kind: 'salt' } });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
    this.#nodes.push(nodeIdOf(pair.publicKey));
  }

  /** Whoever came is sent away, so that its zone may go. */
  async #leave(): Promise<void> {
    const systems = this.#systems.splice(0);
    if (systems.length > 0) await this.#operator.ask(contract.ban, { body: { systems } });
    for (const id of this.#nodes.splice(0)) await this.#operator.ask(contract.dropNode, { params: { id }, body: anyway });
  }
}

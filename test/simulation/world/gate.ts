import { contract } from '../../../lib/contract.ts';
import type { Fqdn, ZoneName } from '../../../lib/core/ids.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { readLedger } from '../../../programs/agent/ledger.ts';
import type { Around, Cluster } from '../cluster.ts';
import type { Config } from '../config.ts';
import { between, oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';
import { Thief } from './thief.ts';

/** Names of the hosts of every world, as a token for a set of them has them. */
const everyName = 'node[1-100].simulated.test';

/** Whether somebody has to let hosts in, now and then or all of them. */
export const isGuarded = ({ faults }: Config): boolean => (faults.closed ?? 0) > 0 || (faults.removed ?? 0) > 0;

/** Whoever lets hosts in and sends them away: brings them tokens, admits them from the pool, removes their nodes. */
export class Gate {
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #hosts: readonly SimulatedHost[];
  readonly #keeper: Person;
  /** The tokens that let many in, by the zone of the hosts that bring them. */
  readonly #bootstraps = new Map<ZoneName | undefined, string | undefined>();
  #stolen = 0;

  constructor(around: Around, cluster: Cluster, hosts: readonly SimulatedHost[], isOver: () => boolean) {
    this.#around = around;
    this.#cluster = cluster;
    this.#hosts = hosts;
    this.#keeper = new Person('gatekeeper', around, cluster, isOver);
  }

  start(): void {
    const { random } = this.#keeper;
    const some = (): SimulatedHost => oneOf(random, this.#hosts)!;
    this.#keeper.work([
      () => this.#bring(some(), 'for it alone'),
      () => this.#bring(some(), 'for it alone'),
      () => this.#bring(some(), 'for a set'),
      () => this.#admit(some()),
      () => this.#admit(some()),
      () => this.#revoke(),
      () => this.#remove(some()),
      () => this.#remove(some()),
      async () => this.#comeBack(some()),
    ]);
  }

  /**
   * What is left to do once faults have ended: every host is admitted, whatever it was before, and brings no token any
   * more.
   */
  async admitAll(by: Person): Promise<void> {
    for (const host of this.#hosts) {
      host.give(undefined);
      const key = readLedger(host.disk)?.publicKey;
      for (const name of key === undefined ? [] : [fingerprintOf(key), host.fqdn])
        await by.ask(contract.admitHosts, { body: { hosts: [name], ...inZoneOf(host) } });
    }
  }

  /** A token is made and carried to the host, whose agent is started with it. */
  async #bring(host: SimulatedHost, kind: 'for it alone' | 'for a set'): Promise<void> {
    const token = kind === 'for a set' ? await this.#bootstrapToken(host) : await this.#token(host, host.fqdn, 1);
    if (token === undefined || this.#keeper.isOver()) return;
    host.give(token);
    this.#tempt(host, token);
    host.stop();
    this.#comeBack(host);
  }

  async #bootstrapToken(host: SimulatedHost): Promise<string | undefined> {
    if (this.#bootstraps.get(host.zone) === undefined || this.#keeper.random() < 0.3)
      this.#bootstraps.set(host.zone, await this.#token(host, everyName, between(this.#keeper.random, 1, 1 + this.#hosts.length)));
    return this.#bootstraps.get(host.zone);
  }

  async #token(host: SimulatedHost, nodes: string, uses: number): Promise<string | undefined> {
    return (await this.#keeper.ask(contract.createNodeToken, { body: { nodes, uses, kind: 'salt', ...inZoneOf(host) } }))?.secret;
  }

  async #admit(host: SimulatedHost): Promise<unknown> {
    const key = readLedger(host.disk)?.publicKey;
    return key && this.#keeper.ask(contract.admitHosts, { body: { hosts: [fingerprintOf(key)], ...inZoneOf(host) } });
  }

  async #revoke(): Promise<unknown> {
    if (this.#keeper.random() < 0.7) return;
    const listed = await this.#keeper.ask(contract.listNodeTokens, { query: {} });
    const id = oneOf(this.#keeper.random, listed?.items ?? [])?.id;
    return id && this.#keeper.ask(contract.revokeNodeToken, { params: { id }, body: {} });
  }

  async #remove(host: SimulatedHost): Promise<unknown> {
    if (!this.#around.faults.hits('removed', 3)) return;
    const id = readLedger(host.disk)?.node;
    return id && this.#keeper.ask(contract.removeNode, { params: { id }, body: {} });
  }

  /** Whoever is at the machine starts its agent again. */
  #comeBack(host: SimulatedHost): void {
    // While everything is switched off nobody is there; it comes back with all others.
    if (this.#cluster.isAway) return;
    host.ended = 'no';
    host.start();
  }

  /** Whoever has seen the token brings it too: under the name that it is for or another. */
  #tempt(host: SimulatedHost, token: string): void {
    if (!this.#around.faults.hits('stolen-token', 4)) return;
    const { random } = this.#keeper;
    this.#stolen += 1;
    const fqdn = random() < 0.6 ? host.fqdn : (`node${50 + this.#stolen}.simulated.test` as Fqdn);
    new Thief(this.#stolen, this.#around, this.#cluster).bring(token, fqdn, this.#keeper.isOver);
  }
}

/** Says into which zone a host is let, where that is not the default one. */
const inZoneOf = ({ zone }: SimulatedHost): { readonly zone?: ZoneName } => (zone === undefined ? {} : { zone });

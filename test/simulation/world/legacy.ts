import { contract } from '../../../lib/contract.ts';
import { type Fingerprint, Fqdn } from '../../../lib/core/ids.ts';
import { fingerprintOf, minionTextFingerprintsOf } from '../../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import type { Offered } from '../../../lib/uyuni/node-routes.ts';
import { type AdoptableSystems, CannotOffer } from '../../../programs/agent/adoption/adopter.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Knocker } from './knocking.ts';
import { Line } from './network.ts';
import { Person } from './people.ts';
import type { Presence } from './presence.ts';

/** How many systems a server has: they are several commits. */
const systemsOf = 34;
/** On how many of them a daemon is installed at once. */
const installedAtOnce = 5;
/** How often its keys cannot be read. */
const failing = 0.1;

/** The key of the daemon that somebody installs beside a minion. */
export const daemonOf = (minion: string): { readonly by: KeyPair; readonly fp: Fingerprint } => {
  const by = keyPairOf(`daemon of ${minion}`);
  return { by, fp: fingerprintOf(by.publicKey) };
};

/** The systems that a server had before it became a node, by their minion ids. No daemon runs on them yet. */
export class LegacySystems implements AdoptableSystems {
  readonly all: readonly Offered[];
  readonly #random: () => number;

  readonly #fqdn: Fqdn;
  readonly #presence: Presence;

  constructor(fqdn: Fqdn, around: Around, presence: Presence) {
    this.#fqdn = fqdn;
    this.#presence = presence;
    const short = fqdn.split('.')[0];
    this.#random = around.kernel.random(`legacy systems of ${fqdn}`);
    this.all = Array.from({ length: systemsOf }, (_, n) => {
      const minion = `old${String(n).padStart(2, '0')}-${short}.legacy.test`;
      const { publicKey, fingerprint: fp } = minionKeyOf(minion);
      // Of some the server knows no machine id, and some are clones of their neighbours.
      const machineId = n % 5 === 0 ? '' : `of ${n % 7 === 3 ? n - 1 : n} ${short}`;
      presence.drive(minion, fp, fqdn);
      return { minion, fp, ofText: [...minionTextFingerprintsOf(publicKey)], name: minion, machineId, number: n };
    });
  }

  /** A daemon runs on one of them from now on: the server sees the same machine by another key as well. */
  install(minion: string): ReturnType<typeof daemonOf> {
    const daemon = daemonOf(minion);
    this.#presence.drive(`${minion} daemon`, daemon.fp, this.#fqdn);
    return daemon;
  }

  ids = async (): Promise<readonly string[]> => {
    if (this.#random() < failing) throw new CannotOffer('the keys cannot be read');
    return this.all.map(({ minion }) => minion);
  };

  systems = async (ids: readonly string[]): Promise<readonly Offered[]> => {
    if (this.#random() < failing) throw new CannotOffer('a key cannot be read');
    return this.all.filter(({ minion }) => ids.includes(minion));
  };
}

/** Whether a fingerprint is that of a machine of legacy, by its minion or its daemon, which calls once and no more. */
export const isLegacy = (hosts: readonly SimulatedHost[], fp: string): boolean =>
  hosts.some(({ legacy }) => legacy?.all.some((one) => one.fp === fp || daemonOf(one.minion).fp === fp));

/**
 * Somebody who orders that systems are adopted, now and then only to look, and installs daemons on some of their
 * machines, adopted or not; in a world whose hosts had systems before.
 */
export function adoptSome(around: Around, cluster: Cluster, hosts: readonly SimulatedHost[], isOver: () => boolean): void {
  if (!around.config.legacy) return;
  const person = new Person('adopter', around, cluster, isOver);
  const knocker = new Knocker(around.kernel, new Line('adopted-machines', around, cluster));
  const order = async (): Promise<unknown> => {
    const id = await person.someNode();
    const body = { dryRun: person.random() < 0.2, duplicates: person.random() < 0.2 };
    return id && person.ask(contract.adoptSystems, { params: { id }, body });
  };
  const look = async (): Promise<unknown> => {
    const id = await person.someNode();
    return id && person.ask(contract.adoption, { params: { id } });
  };
  const install = async (): Promise<unknown> => {
    const server = oneOf(person.random, hosts)?.legacy;
    const system = oneOf(person.random, server?.all ?? []);
    if (!server || !system) return undefined;
    const { by, fp } = server.install(system.minion);
    const minion = minionOf(system.minion, minionKeyOf(system.minion), fp);
    const { name, machineId } = system;
    return knocker.knock({
      body: { publicKey: by.publicKey, fqdn: Fqdn.parse(name), machineId: machineId || `own of ${system.minion}`, minion },
      by,
    });
  };
  const installSome = async (): Promise<void> => {
    for (let left = installedAtOnce; left > 0; left--) await install();
  };
  person.work([order, order, order, look, installSome, installSome]);
}

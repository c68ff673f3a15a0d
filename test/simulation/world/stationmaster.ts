import { contract } from '../../../lib/contract.ts';
import type { Fqdn, ZoneName } from '../../../lib/core/ids.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import type { Around, Cluster } from '../cluster.ts';
import type { Config } from '../config.ts';
import { oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';
import type { Site } from './site.ts';

/** A host that is named beside those of a storage zone, and never comes: two of three are a majority. */
const neverThere = 'node99.simulated.test' as Fqdn;
/** How often something befalls the site, in ms, on the mean, and how long it lasts at the most. */
const befallsEveryMs = 90_000;
const lastsMaxMs = 180_000;

/** The stations of each zone that has some, as an operator wants them. */
export function stationsWanted({ stations, nodes }: Config, hosts: readonly SimulatedHost[]): ReadonlyMap<ZoneName, readonly Fqdn[]> {
  if (!stations) return new Map();
  const ofDefault = hosts.slice(0, nodes).filter(({ zone }) => zone === undefined);
  const stored = hosts.filter(({ processes }) => processes);
  const storage = stored[0]?.zone;
  return new Map<ZoneName, readonly Fqdn[]>([
    [defaultZone, ofDefault.slice(0, stations).map(({ fqdn }) => fqdn)],
    ...(storage ? [[storage, [...stored.map(({ fqdn }) => fqdn), neverThere]] as const] : []),
  ]);
}

/** Somebody names stations, again, otherwise and anew; sites lose their way to Muster, are split and without power. */
export function manStations(
  around: Around,
  cluster: Cluster,
  { hosts, site, isOver }: { readonly hosts: readonly SimulatedHost[]; readonly site: Site; readonly isOver: () => boolean },
): void {
  const wanted = stationsWanted(around.config, hosts);
  if (wanted.size === 0) return;
  const master = new Person('stationmaster', around, cluster, isOver);
  const { random } = master;
  const name = (zone: ZoneName, body: { hosts: Fqdn[]; update?: boolean; self?: boolean }): Promise<unknown> =>
    master.ask(contract.putStations, { params: { zone }, body });
  const nameAll = async (): Promise<void> => {
    for (const [zone, fqdns] of wanted) await name(zone, { hosts: [...fqdns] });
  };
  const some = (): readonly [ZoneName, readonly Fqdn[]] => oneOf(random, [...wanted])!;
  // Before any host has called in, or once they are members.
  around.kernel.after(random() < 0.5 ? 1_000 : 100_000, 'stations are named', () => void nameAll());
  master.work([
    nameAll,
    () => {
      const [zone, fqdns] = some();
      return name(zone, { hosts: random() < 0.5 ? [...fqdns].reverse() : [...fqdns], self: true });
    },
    () => {
      const [zone, fqdns] = some();
      // Of three of which one never comes another is never left out: the two that were left could never agree on
      // anything.
      return name(zone, {
        hosts: fqdns.filter((fqdn, n) => (n === 0 ? fqdns.includes(neverThere) || random() < 0.5 : fqdn !== neverThere)),
        update: random() < 0.7,
      });
    },
    () => {
      const [zone, fqdns] = some();
      return name(zone, { hosts: [...fqdns], update: true });
    },
    () => (random() < 0.2 ? name(some()[0], { hosts: [], update: true }) : nameAll()),
    () => (random() < 0.1 ? master.ask(contract.resetStations, { params: { zone: some()[0] } }) : nameAll()),
    () => master.ask(contract.getStations, { params: { zone: some()[0] } }),
  ]);
  // Where one thing happens in a way that is always the same, nothing else does.
  if (around.config.incident !== 'lapse') befall(around, cluster, { hosts, site, isOver });
}

/** What befalls a site as a whole. */
function befall(
  { kernel }: Around,
  cluster: Cluster,
  { hosts, site, isOver }: { readonly hosts: readonly SimulatedHost[]; readonly site: Site; readonly isOver: () => boolean },
): void {
  const random = kernel.random('site');
  const lasts = (): number => random() * lastsMaxMs;
  const unheard = (some: readonly SimulatedHost[], ms: number): void => {
    for (const { line } of some) line.unheardUntil = kernel.now + ms;
  };
  const later = (ms: number, label: string, then: () => void): void =>
    void kernel.after(ms, label, () => !isOver() && !cluster.isAway && then());
  const switchOff = (some: readonly SimulatedHost[]): void => {
    for (const host of some) {
      host.stop(true);
      later(lasts(), `${host.name} has power`, () => host.start());
    }
  };
  const split = (): void => {
    const sides = new Map(hosts.map((host) => [host, random() < 0.5 ? 0 : 1]));
    const ms = lasts();
    site.split((host) => sides.get(host)!);
    // The way to Muster is on one of the two sides.
    unheard(
      hosts.filter((host) => sides.get(host) === 1),
      ms,
    );
    kernel.after(ms, 'the site is one again', () => site.join());
  };
  const flap = (host: SimulatedHost): void => {
    for (let n = 0; n < 4; n++) later(n * 50_000, `${host.name} flaps`, () => unheard([host], 35_000));
  };
  const befalls: readonly (() => void)[] = [
    () => unheard(hosts, lasts()),
    () => unheard([oneOf(random, hosts)!], lasts()),
    split,
    split,
    () => flap(oneOf(random, hosts)!),
    () => switchOff(hosts),
    () => switchOff([oneOf(random, hosts)!]),
  ];
  const next = (): void =>
    later(random() * 2 * befallsEveryMs, 'something befalls the site', () => {
      oneOf(random, befalls)!();
      next();
    });
  next();
}

/** Once it is calm an operator wants the stations that there were to be. */
export async function nameStations(operator: Person, wanted: ReadonlyMap<ZoneName, readonly Fqdn[]>): Promise<void> {
  for (const [zone, hosts] of wanted)
    await operator.ask(contract.putStations, { params: { zone }, body: { hosts: [...hosts], update: true } });
}

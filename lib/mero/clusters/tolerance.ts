/** How many of each kind fail at once: sites, racks, enclosures, hosts, devices. Facts call a host a controller. */
export type Failures = {
  readonly site: number;
  readonly rack: number;
  readonly encl: number;
  readonly ctrl: number;
  readonly disk: number;
};

/**
 * The place of a host, from the outermost: names that differ between sites, and between racks and enclosures of
 * different ones.
 */
export type HostPlace = { readonly site: string; readonly rack: string; readonly encl: string };

/** A missing device: its host, and the place of that host. */
export type Missing = { readonly host: string; readonly place: HostPlace | undefined };

const none: Failures = { site: 0, rack: 0, encl: 0, ctrl: 0, disk: 0 };
const domains = ['site', 'rack', 'encl', 'ctrl'] as const;
/**
 * The most failures of a domain that are counted: the parity of a pool is lower. It bounds the cost of a file with
 * large numbers.
 */
const countedMax = 8;

/** Whether the missing devices are no more than may fail at once by one of these. */
export const bears = (allowed: readonly Failures[], missing: readonly Missing[]): boolean =>
  allowed.some((one) => missing.length <= one.disk || waysOf(missing.map(pathOf), 0, bounded(one)).length > 0);

const bounded = ({ disk, ...rest }: Failures): Failures => {
  const [site, rack, encl, ctrl] = domains.map((domain) => Math.min(rest[domain], countedMax)) as [number, number, number, number];
  return { site, rack, encl, ctrl, disk };
};

/** The domains of a device, from the outermost. A host without a place is a domain by itself. */
const pathOf = ({ host, place }: Missing): readonly string[] =>
  place ? [place.site, place.rack, place.encl, host] : [`of ${host}`, `of ${host}`, `of ${host}`, host];

/**
 * The ways to explain the missing devices, as far as they are allowed: each domain with missing devices has failed
 * itself, or something in it has. If several ways have the same domains, only the one with the fewest devices remains.
 */
function waysOf(missing: readonly (readonly string[])[], depth: number, allowed: Failures): readonly Failures[] {
  const domain = domains[depth];
  if (domain === undefined) return within({ ...none, disk: missing.length }, allowed);
  let ways: readonly Failures[] = [none];
  for (const inside of Map.groupBy(missing, (path) => path[depth]!).values()) {
    const options = [...within({ ...none, [domain]: 1 }, allowed), ...waysOf(inside, depth + 1, allowed)];
    ways = fewest(ways.flatMap((way) => options.flatMap((option) => within(sum(way, option), allowed))));
  }
  return ways;
}

const within = (way: Failures, allowed: Failures): Failures[] =>
  way.disk <= allowed.disk && domains.every((domain) => way[domain] <= allowed[domain]) ? [way] : [];

const sum = (a: Failures, b: Failures): Failures => ({
  site: a.site + b.site,
  rack: a.rack + b.rack,
  encl: a.encl + b.encl,
  ctrl: a.ctrl + b.ctrl,
  disk: a.disk + b.disk,
});

function fewest(ways: readonly Failures[]): readonly Failures[] {
  const best = new Map<string, Failures>();
  for (const way of ways) {
    const key = domains.map((domain) => way[domain]).join(' ');
    const before = best.get(key);
    if (!before || way.disk < before.disk) best.set(key, way);
  }
  return [...best.values()];
}

import { type Bug, patch } from '../bug.ts';

const acts = 'no-two-coordinators-act-at-once';
const elects = 'a-majority-elects-a-coordinator';

/** Mistakes about stations, and about what waits for a majority of them. */
export const stationBugs: readonly Bug[] = [
  {
    name: 'half-of-the-stations-are-enough',
    breaks: elects,
    why: 'two of four are as good as any other two',
    foundIn: { world: 'halved', seed: 1 },
    patches: [patch('Math.floor(stations / 2) + 1', 'Math.max(1, Math.floor(stations / 2))')],
  },
  {
    name: 'those-that-are-heard-are-all',
    breaks: elects,
    why: 'whoever is not there has no say',
    foundIn: { world: 'manned', seed: 1 },
    patches: [patch('isQuorate: heard.length >= needed', 'isQuorate: heard.length > 0 && needed > 0')],
  },
  {
    name: 'another-coordinates-at-once',
    breaks: elects,
    why: 'whoever is no station any more coordinates no more',
    foundIn: { world: 'manned', seed: 4 },
    patches: [patch('.find((one) => !former || leases[one]!.node === former.node)', '.find(() => !former || former.until > 0)')],
  },
  {
    name: 'a-station-acts-for-as-long-as-it-likes',
    breaks: acts,
    why: 'whoever is told that it coordinates does so until it is told otherwise',
    foundIn: { world: 'manned', seed: 3 },
    patches: [patch('return leaseMs - sinceMs(from, this.#options.clocks());', 'return leaseMs * from.length;')],
  },
  {
    name: 'each-election-begins-to-count-anew',
    breaks: 'epochs-only-grow',
    why: 'the number of a coordinator is how many there were since the set was named',
    foundIn: { world: 'manned', seed: 1 },
    patches: [patch('epoch: stations.epoch + 1, since: now', 'epoch: coordinator ? stations.epoch + 1 : 1, since: now')],
  },
  {
    name: 'whoever-updates-may',
    breaks: 'a-set-changes-with-a-majority-of-the-old',
    why: 'an operator who insists knows best',
    foundIn: { world: 'manned', seed: 4 },
    patches: [patch('  if (quorum.isQuorate) return undefined;\n', '  if (quorum.isQuorate || update) return undefined;\n')],
  },
  {
    name: 'a-set-needs-nobody-to-change',
    soonest: true,
    breaks: 'a-set-changes-with-a-majority-of-the-old',
    why: 'stations that are not heard are of no use, and others are named in their place',
    foundIn: { world: 'halved', seed: 1 },
    patches: [
      patch('stations && stations.hosts.length > 0 ? differenceOf', 'stations && quorumOf(stations, now).isQuorate ? differenceOf'),
    ],
  },
  {
    name: 'one-station-is-believed',
    breaks: 'a-majority-agrees-that-a-node-is-down',
    why: 'whoever does not hear a node says that it is down',
    foundIn: { world: 'manned-cut-off', seed: 2 },
    patches: [patch('  if (miss.length >= quorum.needed) return undefined;\n', '  if (miss.length > 0) return undefined;\n')],
  },
  {
    name: 'a-silent-node-is-down-whatever-its-neighbours-say',
    soonest: true,
    breaks: 'a-majority-agrees-that-a-node-is-down',
    why: 'its lease has run out, and with it its time',
    foundIn: { world: 'manned', seed: 3 },
    patches: [
      patch('  if (quorum.stations === 0) return undefined;\n  const who', '  if (quorum.stations >= 0) return undefined;\n  const who'),
    ],
  },
  {
    name: 'whoever-comes-first-is-let-in',
    breaks: 'first-admissions-wait-for-a-majority',
    why: 'a host that calls in is there, whoever else is',
    foundIn: { world: 'manned', seed: 2 },
    patches: [patch("if (node.status === 'waiting' && !isQuorate)", "if (node.status === 'waiting' && isQuorate)")],
  },
  {
    name: 'levels-change-whoever-is-heard',
    breaks: 'levels-wait-for-a-majority',
    why: 'what an operator wants is to be, whatever the stations say',
    foundIn: { world: 'halved', seed: 1 },
    patches: [patch('const level = halted !== undefined ? cluster.level : isUp', 'const level = isUp')],
  },
  {
    name: 'the-first-level-waits-for-nobody',
    breaks: 'levels-wait-for-a-majority',
    why: 'it needs nothing below it',
    foundIn: { world: 'halved', seed: 17 },
    patches: [patch('cluster.level < 0 && !cluster.stations && ', 'cluster.level < 0 && ')],
  },
  {
    name: 'all-stations-are-needed',
    breaks: 'the-group-is-back-at-the-end',
    why: 'whoever is named is to be there',
    foundIn: { world: 'halved', seed: 1 },
    patches: [patch('Math.floor(stations / 2) + 1', 'stations')],
  },
  {
    name: 'whoever-has-answered-is-there',
    breaks: 'who-hangs-is-not-heard',
    why: 'a host that was reached can be reached',
    foundIn: { world: 'manned-hung', seed: 1 },
    patches: [
      patch(
        '(this.#heardAt.get(address) ?? 0) > this.#options.world.now() - heardForMs',
        'this.#heardAt.has(address) && this.#options.world.now() > heardForMs',
      ),
    ],
  },
  {
    name: 'a-station-is-any-host',
    breaks: 'stations-are-of-their-zone',
    why: 'a host may be named before it is a node, so whether it is one is not looked at',
    foundIn: { world: 'waiting', seed: 4 },
    patches: [patch('node.zone !== zone && node.removedAt === undefined', 'node.zone !== zone && node.removedAt === 0')],
  },
];

import { type Client, clusterIdOf } from '../../clients/client.ts';
import { isDuplicate } from '../../clients/rows/claims.ts';
import { pinnedOf, placementOf } from '../../clients/rows/status.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Query } from '../language/query.ts';
import type { Document } from '../segment/segment.ts';
import { metadataKeywords } from './metadata.ts';

/**
 * Columns of a document that no query names: how its row places it, from which its status, its node and its pin are
 * computed by the map of its zone.
 */
export const placing = {
  standing: '.standing',
  index: '.index',
  generation: '.generation',
  confirmed: '.confirmed',
  /** When it was assigned to its node, unless that is confirmed. */
  since: '.since',
  pin: '.pin',
  soft: '.soft',
  /** When the row ends by itself, as that of a machine that waits does. */
  ends: '.ends',
  /** It waits, and another key made one of its claims first: an administrator has to look at it. */
  held: '.held',
} as const;

/** The standings of client systems as the column {@link placing} has them. */
export const standings = ['pooled', 'accepted', 'banned'] as const satisfies readonly Client['standing'][];

/** The facts that are fields of their own, by the names under which daemons and Salt report them. */
const factFields: Readonly<Record<string, readonly string[]>> = {
  ip: ['ip', 'ipv4', 'ipv6', 'address'],
  mac: ['mac'],
  os: ['os', 'osfullname'],
  kernel: ['kernel', 'kernelrelease'],
  arch: ['arch', 'osarch', 'cpuarch'],
};
const numberFacts: Readonly<Record<string, readonly string[]>> = { cpu: ['cpu', 'cpus', 'num_cpus'], ram: ['ram', 'memory'] };

/**
 * The version of what {@link documentOf} makes of a row. It grows with every change of that, so that no stored index is
 * used whose documents are of another kind.
 */
export const documentsVersion = 2;

/**
 * A client system as it is searched; `row`: the row that it is in; `documents`: those of its metadata, by kind. Its
 * names are in lower case.
 */
export function documentOf(
  client: Client,
  row: { readonly rev: number; readonly expiresAt?: EpochMs },
  documents: ReadonlyMap<string, unknown> = new Map(),
): Document {
  const { fp, fqdn, minion, machineId, facts, zone } = client;
  const accepted = client.standing === 'accepted' ? client : undefined;
  const keywords = new Map<string, readonly string[]>([
    ['kind', ['system']],
    ['machine', machineId === '' ? [] : [machineId]],
    ['minion', minion ? [minion.id.toLowerCase()] : []],
    ['tag', accepted?.tags ?? []],
    ['group', accepted?.groups ?? []],
    [
      'accepted-by',
      accepted?.acceptedBy === undefined ? [] : [...new Set([accepted.acceptedBy, accepted.acceptedBy.replace(/^\w+:/, '')])],
    ],
    ['zone', zone === undefined ? [] : [zone]],
    ...Object.entries(facts).map(([name, value]) => [`grain.${name}`, [value]] as const),
    ...Object.entries(factFields).map(([field, names]) => [field, named(facts, names)] as const),
    ...metadataKeywords(documents),
  ]);
  return {
    id: fp,
    version: row.rev,
    names: [...new Set([fqdn.toLowerCase(), ...(minion ? [minion.id.toLowerCase()] : [])])],
    keywords: new Map([...keywords].filter(([, values]) => values.length > 0)),
    numbers: numbersOf(client, row.expiresAt),
  };
}

/**
 * A query without what has ended by itself: no commit says that a machine that waits is forgotten. The added term has
 * column 0.
 */
export const among = (query: Query, now: EpochMs): Query => ({
  op: 'and',
  of: [query, { op: 'not', of: { op: 'term', field: placing.ends, test: { is: 'range', to: now }, at: 0, text: '' } }],
});

/** The values of the facts with these names, each once; a fact may list several, parted by commas or spaces. */
const named = (facts: Client['facts'], names: readonly string[]): string[] => [
  ...new Set(names.flatMap((name) => facts[name]?.split(/[,\s]+/).filter((value) => value !== '') ?? [])),
];

function numbersOf(client: Client, endsAt: EpochMs | undefined): ReadonlyMap<string, number> {
  const placement = placementOf(client);
  const { pin, soft } = pinnedOf(client);
  const numbers = new Map<string, number>([
    ['seen', client.seenAt],
    ['registered', client.firstSeenAt],
    [placing.standing, standings.indexOf(client.standing)],
  ]);
  for (const [field, names] of Object.entries(numberFacts)) {
    const value = Number(names.map((name) => client.facts[name]).find((text) => text !== undefined && text !== ''));
    if (Number.isFinite(value)) numbers.set(field, value);
  }
  const id = clusterIdOf(client);
  if (id !== undefined) numbers.set('cluster-id', id);
  if (endsAt !== undefined) numbers.set(placing.ends, endsAt);
  if (client.standing === 'pooled' && isDuplicate(client)) numbers.set(placing.held, 1);
  if (client.standing !== 'banned' && client.copied) numbers.set('copied', client.copied.since);
  if (client.standing === 'accepted' && client.silentSince !== undefined) numbers.set('silent', client.silentSince);
  if (client.standing === 'accepted' && client.pin) numbers.set(placing.pin, pin).set(placing.soft, soft ? 1 : 0);
  if (client.standing === 'accepted' && client.told && client.told.confirmedAt === undefined) numbers.set(placing.since, client.told.at);
  if (placement)
    numbers
      .set(placing.index, placement.index)
      .set(placing.generation, placement.generation)
      .set(placing.confirmed, placement.confirmed ? 1 : 0);
  return numbers;
}

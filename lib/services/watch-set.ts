import * as z from 'zod';
import { isSame } from '../core/decision.ts';
import { NodeId, ServiceTypeName, WatchAddress, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { EpochMs } from '../core/time.ts';
import { supervisorType } from './service.ts';
import { planSupervision, type Supervised, type Supervision } from './supervision.ts';

/**
 * The maximum number of nodes that one supervisor watches: a row has no room for more with the longest of addresses.
 * Nodes that are left over are not watched.
 */
export const watchedMax = 1_000;

/**
 * A node that is watched, and the address where its agent accepts connections. The address is absent for the
 * supervisor's own node, and for a node that is no member of the zone yet.
 */
export const Watched = z.strictObject({ node: NodeId, address: WatchAddress.optional() });
export type Watched = z.infer<typeof Watched>;

/**
 * A node that its supervisor does not hear, or a service of the supervisor's own node that does not run as it should,
 * and since when.
 */
export const Missed = z.strictObject({ node: NodeId, service: ServiceTypeName.optional(), since: EpochMs });
export type Missed = z.infer<typeof Missed>;

/**
 * The set that the supervisor of a node watches: the nodes whose services it watches, of which its own is one, and the
 * nodes whose supervisors it watches.
 */
export const WatchSet = z.strictObject({
  zone: ZoneName,
  node: NodeId,
  services: z.array(Watched),
  supervisors: z.array(Watched),
  /** The entries that it reported last as missed. */
  missed: z.array(Missed),
  /** The boot and the number of that report; an older report changes nothing. */
  heard: z.strictObject({ incarnation: z.int().positive(), seq: z.int().nonnegative() }).optional(),
  /** When the set was made. Earlier reports of its supervisor were about another set, or none. */
  since: EpochMs.optional(),
});
export type WatchSet = z.infer<typeof WatchSet>;

/** The supervision of a zone. Its row is due when the supervision must be planned again. */
export const SupervisionHead = z.strictObject({ zone: ZoneName });
export type SupervisionHead = z.infer<typeof SupervisionHead>;

/** The row that says when a zone's supervision is planned, and the row of a supervisor's set, by its node. */
export const supervisionRef = refOf('supervision', SupervisionHead);
export const watchSetRef = refOf('watch-set', WatchSet, ({ zone, node }: Pick<WatchSet, 'zone' | 'node'>) => `${zone}/${node}`);

/** The input of a plan of sets, besides the present sets. */
export type SetsInput = Supervised & {
  readonly zone: ZoneName;
  /** The address where the agent of a node accepts connections; undefined where the node is no member of the zone. */
  addressOf(node: NodeId): string | undefined;
};

/** The sets that change, and the sets that end because nothing is left to watch or their supervisor is gone. */
export type PlannedSets = { readonly changed: readonly WatchSet[]; readonly ended: readonly WatchSet[] };

/** Plans the sets of a zone and returns what changes. The same plan again changes nothing. */
export function planSets(before: readonly WatchSet[], input: SetsInput): PlannedSets {
  const next = setsOf(planSupervision(supervisionOf(before), input), input);
  const known = new Map(before.map((set) => [set.node, set]));
  const changed = next.flatMap((set) => {
    const was = known.get(set.node);
    const now = was ? retained(was, set) : set;
    return was && isSame(was, now) ? [] : [now];
  });
  const there = new Set(next.map(({ node }) => node));
  return { changed, ended: before.filter(({ node }) => !there.has(node)) };
}

/** Retains the missed entries that are still in the set. */
function retained(was: WatchSet, { services, supervisors }: WatchSet): WatchSet {
  const next = { ...was, services, supervisors };
  return { ...next, missed: was.missed.filter((one) => isIn(next, one.node)) };
}

/** Whether a node is among those that a supervisor watches in any way. */
export const isIn = ({ services, supervisors }: Pick<WatchSet, 'services' | 'supervisors'>, node: NodeId): boolean =>
  services.some((one) => one.node === node) || supervisors.some((one) => one.node === node);

/**
 * The set that a service is in, and since when its supervisor misses the service; undefined where no supervisor watches
 * it.
 */
export function watchOf(
  sets: readonly WatchSet[],
  { node, type }: { readonly node: NodeId; readonly type: string },
): { readonly set: WatchSet; readonly missedSince?: EpochMs } | undefined {
  const kind = type === supervisorType ? 'supervisors' : 'services';
  const set = sets.find((one) => one[kind].some((watched) => watched.node === node));
  const missed = set?.missed.find((one) => one.node === node && (one.service === undefined || one.service === type));
  return set && { set, ...(missed && { missedSince: missed.since }) };
}

/** The supervision that some sets describe. */
export const supervisionOf = (sets: readonly WatchSet[]): Supervision => ({
  services: sets.flatMap(({ node: by, services }) => services.map(({ node: of }) => ({ of, by }))),
  supervisors: sets.flatMap(({ node: by, supervisors }) => supervisors.map(({ node: of }) => ({ of, by }))),
});

function setsOf({ services, supervisors }: Supervision, { zone, addressOf }: SetsInput): WatchSet[] {
  const sets = new Map<NodeId, { services: Watched[]; supervisors: Watched[] }>();
  const add = (kind: keyof Supervision, of: NodeId, by: NodeId): void => {
    const set = sets.get(by) ?? { services: [], supervisors: [] };
    sets.set(by, set);
    const address = of === by ? undefined : addressOf(of);
    if (set.services.length + set.supervisors.length < watchedMax) set[kind].push({ node: of, ...(address !== undefined && { address }) });
  };
  for (const { of, by } of services) add('services', of, by);
  for (const { of, by } of supervisors) add('supervisors', of, by);
  return [...sets].map(([node, set]) => ({ zone, node, ...set, missed: [] }));
}

import * as z from 'zod';
import { isSame } from '../core/decision.ts';
import { NodeId, ServiceTypeName, WatchAddress, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { EpochMs } from '../core/time.ts';
import { supervisorType } from './service.ts';
import { planSupervision, type Supervised, type Supervision } from './supervision.ts';

/**
 * How many nodes one supervisor watches at the most: a row takes no more with the longest of addresses. Whoever is left
 * over is watched by nobody.
 */
export const watchedMax = 1_000;

/**
 * A node that is watched from another one, and where its agent takes a connection; absent of one that is no member of
 * the zone yet.
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
 * Whom the supervisor of a node watches: the services of which nodes, of which its own is one, and the supervisors of
 * which others.
 */
export const WatchSet = z.strictObject({
  zone: ZoneName,
  node: NodeId,
  services: z.array(Watched),
  supervisors: z.array(Watched),
  /** What it said last that it misses. */
  missed: z.array(Missed),
  /** The boot and the number of the word that said so; an older one changes nothing. */
  heard: z.strictObject({ incarnation: z.int().positive(), seq: z.int().nonnegative() }).optional(),
  /** When it was made: what its supervisor had said by then was about others, or nobody. */
  since: EpochMs.optional(),
});
export type WatchSet = z.infer<typeof WatchSet>;

/** That services of a zone are watched. Its row is due when that has to be planned anew. */
export const SupervisionHead = z.strictObject({ zone: ZoneName });
export type SupervisionHead = z.infer<typeof SupervisionHead>;

/** The row that says when a zone's supervision is planned, and that of a supervisor's set, by its node. */
export const supervisionRef = refOf('supervision', SupervisionHead);
export const watchSetRef = refOf('watch-set', WatchSet, ({ zone, node }: Pick<WatchSet, 'zone' | 'node'>) => `${zone}/${node}`);

/** What sets are planned from, besides those that there are. */
export type Around = Supervised & {
  readonly zone: ZoneName;
  /** Where the agent of a node takes a connection, of those that are members of the zone. */
  addressOf(node: NodeId): string | undefined;
};

/** Sets that are otherwise than they were, and those of whom nothing is left to watch or whose supervisor is gone. */
export type PlannedSets = { readonly changed: readonly WatchSet[]; readonly ended: readonly WatchSet[] };

/** Plans the sets of a zone: what of them changes. What is planned again from the same changes nothing. */
export function planSets(before: readonly WatchSet[], around: Around): PlannedSets {
  const next = setsOf(planSupervision(supervisionOf(before), around), around);
  const known = new Map(before.map((set) => [set.node, set]));
  const changed = next.flatMap((set) => {
    const was = known.get(set.node);
    const now = was ? kept(was, set) : set;
    return was && isSame(was, now) ? [] : [now];
  });
  const there = new Set(next.map(({ node }) => node));
  return { changed, ended: before.filter(({ node }) => !there.has(node)) };
}

/** What was missed is missed still, of those that are in the set. */
function kept(was: WatchSet, { services, supervisors }: WatchSet): WatchSet {
  const next = { ...was, services, supervisors };
  return { ...next, missed: was.missed.filter((one) => isIn(next, one.node)) };
}

/** Whether a node is among those that a supervisor watches in any way. */
export const isIn = ({ services, supervisors }: Pick<WatchSet, 'services' | 'supervisors'>, node: NodeId): boolean =>
  services.some((one) => one.node === node) || supervisors.some((one) => one.node === node);

/**
 * The set that a service is in, and since when the supervisor that has it misses the service; undefined where nobody
 * watches it.
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

/** Who watches what, of some sets. */
export const supervisionOf = (sets: readonly WatchSet[]): Supervision => ({
  services: sets.flatMap(({ node: by, services }) => services.map(({ node: of }) => ({ of, by }))),
  supervisors: sets.flatMap(({ node: by, supervisors }) => supervisors.map(({ node: of }) => ({ of, by }))),
});

function setsOf({ services, supervisors }: Supervision, { zone, addressOf }: Around): WatchSet[] {
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

import { showFingerprint } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import { fingerprintOf } from '../identity/fingerprint.ts';
import type { NodeView } from './admin-routes.ts';
import type { Host } from './hosts/host.ts';
import type { Node, NodeIn } from './node.ts';
import { flapCalmAt } from './rows/flap.ts';
import { pointsOf } from './rows/loads.ts';
import { waitText } from './waits.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/**
 * The facts that a node's row does not hold: its share of the zone's map and of the last count, its host as its agent
 * reported it, and since when it has its key.
 */
type Beside = {
  readonly slots: number;
  readonly systemsAbout: number;
  /** How many of them it no longer sees. */
  readonly silentAbout?: number | undefined;
  readonly silenceHeld?: NodeView['silenceHeld'];
  readonly host?: Host | undefined;
  /** The loads of its last hour are shown, too. */
  readonly withLoads?: boolean;
  readonly keySince?: EpochMs | undefined;
};

/** A node's row as the API and the CLI show it. */
export function nodeView(
  node: Node,
  because: string,
  { slots, systemsAbout, silentAbout, silenceHeld, host, keySince, withLoads }: Beside,
): NodeView {
  const waitsFor = waitText(node, slots);
  const { id, fqdn, zone, kind, status, incarnation, generation, index, watch, weight, capacity, labels, joinedAt, heardAt, load } = node;
  return {
    id,
    fqdn,
    zone,
    kind,
    status,
    because,
    incarnation,
    generation,
    watch,
    weight,
    labels,
    slots,
    systemsAbout,
    ...(silentAbout !== undefined && { silentAbout }),
    ...(silenceHeld && { silenceHeld }),
    joinedAt: iso(joinedAt),
    key: keyOf(node, keySince),
    ...(node.removedAt !== undefined && { removedAt: iso(node.removedAt) }),
    ...(node.replacedBy && {
      replacedBy: { node: node.replacedBy.node, since: iso(node.replacedBy.at), planned: node.replacedBy.planned },
    }),
    ...(node.replaces !== undefined && { replaces: node.replaces }),
    ...(index !== undefined && { index }),
    ...(capacity !== undefined && { capacity }),
    ...(node.vouched && { vouched: true }),
    ...(node.admitEveryMs !== undefined && { admitEveryMs: node.admitEveryMs }),
    ...(heardAt !== undefined && { heardAt: iso(heardAt) }),
    ...('leaseUntil' in node && { leaseUntil: iso(node.leaseUntil) }),
    ...(node.status === 'leaving' && {
      leaving: {
        mode: node.leaving.mode,
        since: iso(node.leaving.since),
        ...(node.leaving.until !== undefined && { until: iso(node.leaving.until) }),
        ...(node.leaving.turnsUntil !== undefined && { turnsUntil: iso(node.leaving.turnsUntil) }),
        ...(waitsFor !== undefined && { waitsFor }),
      },
    }),
    ...(node.status === 'dropped' && { dropped: droppedOf(node) }),
    ...(node.flap && { flaps: { score: node.flap.score, at: iso(node.flap.at), calmAt: iso(flapCalmAt(node.flap)) } }),
    ...(load && { load }),
    ...(withLoads && node.loads && { loads: pointsOf(node.loads).map((one) => ({ at: iso(one.at), load: one.load })) }),
    ...(host && { host: { ...host, at: iso(host.at) } }),
  };
}

const droppedOf = ({ droppedAt, planned, readmission }: NodeIn<'dropped'>): NonNullable<NodeView['dropped']> => ({
  at: iso(droppedAt),
  planned,
  ...(readmission && { readmission }),
});

const keyOf = ({ publicKey, nextKey }: Node, since: EpochMs | undefined): NonNullable<NodeView['key']> => ({
  fingerprint: showFingerprint(fingerprintOf(publicKey)),
  ...(since !== undefined && { since: iso(since) }),
  ...(nextKey !== undefined && { next: showFingerprint(fingerprintOf(nextKey)) }),
});

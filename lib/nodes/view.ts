import { showFingerprint } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import { fingerprintOf } from '../identity/fingerprint.ts';
import { pageOf } from '../zones/rows/page.ts';
import type { NodeView } from './admin-routes.ts';
import { type RateBeside, rateFields } from './bearing/view.ts';
import type { Host } from './hosts/host.ts';
import type { Node, NodeIn } from './node.ts';
import { reasonOf } from './reason.ts';
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
  /** The template of the pages of its zone. */
  readonly zonePage?: string | undefined;
  /** The loads of its last hour are shown, too. */
  readonly withLoads?: boolean;
  readonly keySince?: EpochMs | undefined;
  readonly rate: RateBeside;
};

/** A node's row as the API and the CLI show it. */
export function nodeView(
  node: Node,
  because: string,
  { slots, systemsAbout, silentAbout, silenceHeld, host, keySince, withLoads, zonePage, rate }: Beside,
): NodeView {
  const waitsFor = waitText(node, slots);
  const { id, fqdn, zone, kind, status, incarnation, generation, index, watch, weight, capacity, labels, joinedAt, heardAt, load } = node;
  return {
    id,
    fqdn,
    zone,
    kind,
    status,
    because: reasonOf(node, because),
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
    ...pageFields(node, zonePage),
    ...(node.vouched && { vouched: true }),
    ...(node.admitEveryMs !== undefined && { admitEveryMs: node.admitEveryMs }),
    ...rateFields(node, rate),
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
    ...(withLoads && loadsFields(node)),
    ...(host && { host: { ...host, at: iso(host.at) } }),
  };
}

/** The address of its page, and the template if it has one of its own. */
function pageFields({ page: own, fqdn, id }: Node, zonePage: string | undefined): Pick<NodeView, 'page' | 'pageTemplate'> {
  const template = own ?? zonePage;
  const page = template === undefined ? undefined : pageOf(template, { name: fqdn, id });
  return { ...(page !== undefined && { page }), ...(own !== undefined && { pageTemplate: own }) };
}

const loadsFields = ({ loads }: Node): Pick<NodeView, 'loads'> =>
  loads ? { loads: pointsOf(loads).map(({ at, load }) => ({ at: iso(at), load })) } : {};

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

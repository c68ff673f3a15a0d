import { nothing } from '../../core/decision.ts';
import { few } from '../../core/few.ts';
import type { EpochMs } from '../../core/time.ts';
import { dropAfterMs } from '../../nodes/node.ts';
import type { GuardrailOutcome } from '../guardrails/now.ts';
import { type ResolvedStanding, resolveStanding } from '../map/follow.ts';
import { nodesMax, rosterSize, standingAt } from '../map/rows/roster.ts';
import { nobody } from '../map/rows/slots.ts';
import { standingOf } from '../map/rows/standing.ts';
import type { Counted, ReadNode, StandingDecision } from '../map/snapshot.ts';
import { pinsAwaitedUntil } from '../pins/follow.ts';
import type { LoadedZone } from '../rows/loaded.ts';
import { awaitedUntil } from '../turns/admit.ts';
import { urgencyOf } from '../urgency.ts';
import { keepMsOf } from './keep.ts';
import { type Heirs, handedOver, withoutLapsed } from './replace.ts';

/**
 * What one plan does about nodes: those that it processes or only notifies of lost slots, and due nodes that it leaves
 * to a later plan.
 */
export type Round = { readonly decisions: readonly StandingDecision[]; readonly left: readonly string[] };

type ResolveOptions = {
  readonly holds: GuardrailOutcome['holds'];
  readonly heirs: Heirs;
  readonly nodesMax: number;
  readonly now: EpochMs;
};

/** Processes the most urgent of the due nodes, as many as one plan may. */
export function resolveAll(snapshot: Counted, options: ResolveOptions): Round {
  const { heirs, now } = options;
  const { first, later, beside } = byUrgency(snapshot, options);
  let next = rosterSize(snapshot.zone.head.roster);
  const decisions = first.flatMap((due): StandingDecision[] => {
    const handover = heirs.of.get(due.body.id);
    if (handover) return handedOver(handover, snapshot, now);
    const read = withoutLapsed(due, heirs);
    const isNew = read.body.index === undefined;
    const index = read.body.index ?? next;
    const { before, resolved } = resolveAt(snapshot, options, read, index);
    if (resolved.standing === 'none' || index >= nodesMax) return [{ index: nobody, before: 'none', standing: 'none', resolved, read }];
    if (isNew) next++;
    return [{ index, before, standing: resolved.standing, resolved, read }];
  });
  return {
    decisions: [...decisions, ...beside.flatMap((read) => deferred(snapshot, options, read))],
    left: later.map(({ body }) => body.id),
  };
}

/**
 * Due nodes by urgency, then by id. `beside` are leaving nodes whose desired state is at hand and that this plan does
 * not process, neither by themselves nor through a handover: a plan that takes slots from one writes into its row which
 * slots it must release.
 */
function byUrgency({ nodes, desired, asked }: Counted, { heirs, nodesMax: most }: ResolveOptions) {
  const sorted = nodes.toSorted((a, b) => urgencyOf(a.body) - urgencyOf(b.body) || (a.body.id < b.body.id ? -1 : 1));
  const isReplaced = ({ body }: ReadNode): boolean => heirs.of.get(body.id)?.old.body.id === body.id;
  const due = sorted.filter((read) => (asked?.has(read.body.id) ?? true) && !isReplaced(read));
  const first = due.slice(0, most);
  const isProcessed = new Set([...first, ...first.flatMap(({ body }) => heirs.of.get(body.id)?.old ?? [])]);
  const beside = sorted.filter((read) => read.body.status === 'leaving' && desired.has(read.body.id) && !isProcessed.has(read));
  return { first, later: due.slice(most), beside };
}

function resolveAt(
  { zone, graceUntil, ...snapshot }: Counted,
  { holds, now }: ResolveOptions,
  { body: node, because }: ReadNode,
  index: number,
) {
  const before = node.index === undefined ? 'none' : standingOf(standingAt(zone.head.roster, index));
  const resolved = resolveStanding(node, {
    before,
    ownedSlots: snapshot.owned[index] ?? 0,
    awaitedUntil: awaitedUntil(zone.turns, index, now) ?? pinsAwaitedUntil({ zone, ...snapshot }, index, now),
    now,
    graceUntil,
    because,
    held: holds.get(node.id),
    brakes: zone.head.brakes,
    dropAfterMs: node.replacedBy ? Number.POSITIVE_INFINITY : dropMsOf(zone, index),
    readmit: zone.head.readmit,
  });
  return { before, resolved };
}

/** A node that this plan does not process keeps its standing. If its time has come it stays due, for a later plan. */
function deferred(snapshot: Counted, options: ResolveOptions, read: ReadNode): StandingDecision[] {
  const { index } = read.body;
  if (index === undefined) return [];
  const { before, resolved } = resolveAt(snapshot, options, read, index);
  const isAsBefore = resolved.node.does === 'nothing' && resolved.standing === before;
  const due: ResolvedStanding = {
    standing: before,
    node: nothing(read.because, options.now),
    why: 'left to a later plan',
  };
  return [{ index, before, standing: before, resolved: isAsBefore ? resolved : due, read, isDeferred: true }];
}

/**
 * How long a node may be down before it is given up: not before its clients may go elsewhere, and in recovery mode not
 * by itself.
 */
const dropMsOf = (zone: LoadedZone, index: number): number =>
  zone.head.mode === 'recovery' ? Number.POSITIVE_INFINITY : Math.max(dropAfterMs, keepMsOf(zone, index) ?? 0);

/** How many nodes are named in a reason that they share. */
const namedMax = 5;
/** How many reasons are given: those of lost nodes name the moment that each was last heard. */
const reasonsMax = 10;

/** Why the standings of nodes change, in words for people: in one sentence for those of which the same can be said. */
export function standingsBecause(decisions: readonly StandingDecision[]): string[] {
  const changed = decisions.filter(({ before, standing }) => before !== standing);
  const reasons = [...Map.groupBy(changed, ({ resolved }) => resolved.why)];
  const said = reasons.slice(0, reasonsMax).map(([why, alike]) => {
    const names = alike.map(({ read }) => read.body.fqdn);
    return `${few(names, namedMax)} ${names.length === 1 ? 'is' : 'are'} ${why}`;
  });
  const unsaid = reasons.slice(reasonsMax).reduce((sum, [, { length }]) => sum + length, 0);
  return unsaid === 0 ? said : [...said, unsaid === 1 ? '1 more node changes' : `${unsaid} more nodes change`];
}

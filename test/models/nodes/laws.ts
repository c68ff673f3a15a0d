import type { NodeReport } from '../../../events/reported/node.ts';
import type { Tick } from '../../../lib/core/decision.ts';
import { leaseUntilOf } from '../../../lib/core/lease.ts';
import { type EpochMs, minuteMs } from '../../../lib/core/time.ts';
import type { NodeCommand } from '../../../lib/nodes/command.ts';
import { moves, type Node } from '../../../lib/nodes/node.ts';
import { attributesOf } from '../../../lib/ports/table/attributes.ts';
import { itemSize } from '../../../lib/ports/table/size.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import { type Law, law } from '../model.ts';
import { eventsOf } from './events.ts';
import type { Remembered } from './remembered.ts';

/** One input to a node's row, or the zone's plan that follows it. */
export type NodeStep = {
  readonly by: 'decide' | 'plan';
  readonly input: NodeReport | NodeCommand | Tick | { readonly type: 'plan' };
  readonly before: Node | undefined;
  readonly after: Node | undefined;
  readonly row: Row | undefined;
  readonly events: readonly string[];
  readonly now: EpochMs;
  /** What the model remembered before the step. */
  readonly remembered: Readonly<Remembered>;
};

/** A law about steps of a node that was there before and still is. */
const stays = (sentence: string, holds: (before: Node, after: Node, step: NodeStep) => boolean): Law<NodeStep> =>
  law(sentence, (step) => !step.before || !step.after || holds(step.before, step.after, step));

const isReport = (input: NodeStep['input']): input is NodeReport => 'receivedAt' in input;
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const leaseOf = (node: Node): number | undefined => ('leaseUntil' in node ? node.leaseUntil : undefined);
/** What a score of flapping is worth at a moment: half as much each hour. */
const scoreAt = ({ flap }: Node, at: number): number => (flap ? flap.score / 2 ** (Math.max(0, at - flap.at) / (60 * minuteMs)) : 0);
/** How long a node may be silent: its lease, and another for each point of its score as it was heard. */
function missedOf(node: Node): number | undefined {
  const lease = leaseOf(node);
  const since = node.heardAt ?? node.joinedAt;
  return lease === undefined ? undefined : lease + Math.round((lease - since) * scoreAt(node, since));
}
const reasonOf = (node: Node): string | undefined => ('reason' in node ? node.reason : undefined);
const identity = ({ id, fqdn, kind, zone, publicKey, joinedAt, watch }: Node) => [id, fqdn, kind, zone, publicKey, joinedAt, watch];
const edited = ({ weight, capacity, labels }: Node) => [weight, capacity, labels];

/** When time can next change a node: its lease, its deadlines, and at once what waits for the zone's plan. */
function changesAt(node: Node, now: EpochMs): number | undefined {
  if (node.awaitsPlan || node.status === 'suspect') return now;
  if (node.status === 'down') return node.downAt + 30 * minuteMs;
  if (node.status === 'leaving')
    return node.leaving.mode === 'hold' ? node.leaving.until : Math.min(missedOf(node)!, node.leaving.since + 30 * minuteMs);
  return missedOf(node);
}

const fences: readonly Law<NodeStep>[] = [
  stays(
    'a status moves only along the table, each writer along its own half',
    (b, a, { by }) => b.status === a.status || (moves[by][b.status] as readonly string[]).includes(a.status),
  ),
  stays('who a node is never changes', (b, a) => isSame(identity(b), identity(a))),
  stays('what an operator set stays until an operator sets it', (b, a, { input }) => input.type === 'edit' || isSame(edited(b), edited(a))),
  stays(
    'an incarnation grows by one, and only by the first word of another boot or of a node that joins as new',
    (b, a, { input }) =>
      a.incarnation === b.incarnation ||
      (a.incarnation === b.incarnation + 1 && input.type === 'node.up' && (input.data.boot.id !== b.boot?.id || b.status === 'dropped')),
  ),
  stays('within an incarnation heartbeats are counted upwards', (b, a) => a.incarnation !== b.incarnation || a.seq >= b.seq),
  stays(
    'a heartbeat that was counted already changes nothing',
    (b, a, { input }) => input.type !== 'node.heartbeat' || input.seq! > b.seq || isSame(b, a),
  ),
  stays(
    'a report of another incarnation changes nothing',
    (b, a, { input }) =>
      !isReport(input) ||
      input.type === 'node.up' ||
      input.incarnation === undefined ||
      input.incarnation === b.incarnation ||
      isSame(b, a),
  ),
  stays(
    'a generation grows by one, and only when a node joins as new',
    (b, a) =>
      a.generation === b.generation ||
      (a.generation === b.generation + 1 && a.status === 'joining' && /absent|waiting|dropped/.test(b.status)),
  ),
  stays(
    'a dropped node comes back only with the generation it was dropped at flushed',
    (b, a, { input }) =>
      b.status !== 'dropped' || a.status === 'dropped' || (input.type === 'node.up' && input.data.flushed === b.generation),
  ),
];

const time: readonly Law<NodeStep>[] = [
  stays(
    'a sign of life received a lease ago changes nothing',
    (b, a, { input, now }) => !(input.type === 'node.heartbeat' || input.type === 'node.up') || leaseUntilOf(input) > now || isSame(b, a),
  ),
  stays(
    'what was received before the last sign of life moves neither that nor the lease back',
    (b, a, { input }) =>
      !isReport(input) ||
      b.heardAt === undefined ||
      input.receivedAt > b.heardAt ||
      (a.heardAt! >= b.heardAt && (leaseOf(a) ?? 0) >= (a.status === b.status ? (leaseOf(b) ?? 0) : 0)),
  ),
  stays(
    'a node-up that was overtaken by another sign of life changes nothing',
    (b, a, { input }) => input.type !== 'node.up' || input.receivedAt >= (b.heardAt ?? 0) || isSame(b, a),
  ),
  stays('time alone makes a node suspect when its lease is over and the grace too, and then it does', (b, a, { input, now }) => {
    if (input.type !== 'tick') return true;
    const isOver = now >= Math.max(missedOf(b) ?? Number.POSITIVE_INFINITY, input.graceUntil ?? 0);
    const isHeld = b.status === 'leaving' && b.leaving.mode === 'hold';
    return b.awaitsPlan || isHeld || b.status === 'suspect' ? isSame(b, a) : (a.status === 'suspect') === isOver;
  }),
  law('a row that time can change is due by then, or by the end of the grace', ({ after, row, now, remembered, input }) => {
    const at = after && changesAt(after, now);
    const graceUntil = (input.type === 'tick' && input.graceUntil) || remembered.graceUntil;
    return at === undefined || (row?.wakeAt !== undefined && row.wakeAt <= Math.max(at, graceUntil));
  }),
  stays('what awaits the plan awaits it until it has followed', (b, a, { by }) =>
    by === 'plan' ? !a.awaitsPlan : !b.awaitsPlan || a.awaitsPlan === true,
  ),
];

const words: readonly Law<NodeStep>[] = [
  stays(
    'a quarantine ends by an operator, when the node joins as new, or one for flapping once its score is below 1, by nothing else',
    (b, a, { input, remembered, now }) =>
      !remembered.isQuarantined ||
      input.type === 'stay' ||
      (input.type === 'tick' && reasonOf(b) === 'flapping' && scoreAt(b, now) < 1) ||
      a.status === 'dropped' ||
      a.generation > b.generation ||
      reasonOf(a) !== undefined,
  ),
  stays(
    'a return from down adds one to its score, and who has more than four then is quarantined; nothing else adds to it',
    (b, a, { now }) => {
      if (b.status !== 'down' || !/joining|up|quarantined/.test(a.status)) return (a.flap?.score ?? 0) <= (b.flap?.score ?? 0);
      const score = scoreAt(b, now) + 1;
      return Math.abs(a.flap!.score - score) < 0.051 && a.flap!.at === now && (a.flap!.score <= 4 || a.status === 'quarantined');
    },
  ),
  law(
    'a node takes clients only once it said that it is ready',
    ({ after, remembered, input }) => !after || !/up|leaving/.test(after.status) || remembered.isReady || input.type === 'node.ready',
  ),
  stays(
    'two boots that take turns are two machines with one key, once 5 s have passed in which a word may have been on its way, and but for one turn if the other was never heard',
    (b, a, { input, remembered, now }) =>
      input.type !== 'node.up' ||
      remembered.boots[0] !== input.data.boot.id ||
      remembered.boots[1] === undefined ||
      b.removedAt !== undefined ||
      /absent|waiting|dropped/.test(b.status) ||
      input.receivedAt <= b.boot!.receivedAt + 5_000 ||
      (b.heardAt! <= b.boot!.receivedAt && b.boot!.again === undefined && b.status !== 'quarantined') ||
      input.receivedAt < (b.heardAt ?? 0) ||
      leaseUntilOf(input) <= now ||
      reasonOf(a) !== undefined,
  ),
  stays(
    'no node is taken for two machines by a word that may have been on its way',
    (b, a, { input }) =>
      input.type !== 'node.up' ||
      input.receivedAt > (b.boot?.receivedAt ?? 0) + 5_000 ||
      reasonOf(a) !== 'clone' ||
      reasonOf(b) === 'clone',
  ),
  stays(
    'an order to leave that was received before the last word about leaving changes nothing',
    (b, a, { input, remembered }) => input.type !== 'node.leaving' || input.receivedAt > remembered.wordAt || isSame(b, a),
  ),
  stays(
    'an operator who gives a node up is heard: no report takes that back, and the plan carries it out',
    (b, a, { by }) => !('ordered' in b && b.ordered) || (by === 'plan' ? a.status === 'dropped' : 'ordered' in a && a.ordered === 'drop'),
  ),
  stays(
    'a node that was removed stays out until it is taken back, whatever it says',
    (b, a, { input }) =>
      b.removedAt === undefined ||
      input.type === 'take-back' ||
      (a.removedAt === b.removedAt && (b.status !== 'dropped' || a.status === 'dropped')),
  ),
  law('its events are those of its move', (step) => eventsOf(step).some((expected) => isSame(expected, step.events))),
  law(
    'a row of ordinary names takes at most 1 KB',
    ({ row }) => !row || row.events.length > 0 || itemSize(attributesOf(row, row.rev)) <= 1_024,
  ),
];

/** Everything that is promised of one node, whatever happens to it in whatever order. */
export const nodeLaws: readonly Law<NodeStep>[] = [...fences, ...time, ...words];

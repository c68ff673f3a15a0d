import { type Decision, nothing, write } from '../../core/decision.ts';
import type { Fingerprint, NodeId, ZoneName } from '../../core/ids.ts';
import { dayMs, type EpochMs, plusMs } from '../../core/time.ts';
import { knownForMs } from '../../uyuni/actions/rows/action.ts';
import { type ActionOfNode, type SystemAction, takenWithinMs } from './rows/system-action.ts';
import { inWords, type What } from './rows/what.ts';

/** A client system that is to take part, and the node that it is on. */
export type Member = { readonly fp: Fingerprint; readonly node: NodeId };

/** What a call adds to an order: `call` counts from 0; `isLast`: the order is whole, and servers may begin. */
export type AddSystems = {
  readonly what: What;
  readonly by: string;
  readonly call: number;
  readonly isLast: boolean;
  readonly nodes: readonly Omit<SystemAction['nodes'][number], 'systems'>[];
  readonly members: readonly Member[];
};

/**
 * Adds the client systems of a call to an order, once. The time for servers to begin counts from the last call on, so
 * that none begins with a part of them.
 */
export function decideAdd(order: SystemAction | undefined, added: AddSystems, now: EpochMs): Decision<SystemAction> {
  const { what, by, call, isLast, nodes, members } = added;
  if (order && order.calls > call) return nothing('these client systems were added already');
  if ((order?.calls ?? 0) < call) return nothing('the calls before this one are missing');
  if (order?.state === 'ordered') return nothing('it was ordered already');
  const orderedAt = order?.orderedAt ?? now;
  const expiresAt = order?.expiresAt ?? plusMs(now, knownForMs);
  const next: SystemAction = {
    what: order?.what ?? what,
    by: order?.by ?? by,
    orderedAt,
    state: isLast ? 'ordered' : 'collecting',
    calls: call + 1,
    nodes: withMembers(order?.nodes ?? [], nodes, members),
    until: plusMs(now, takenWithinMs),
    expiresAt,
  };
  const total = systemsOf(next);
  const because = `${inWords(what)} on ${total === 1 ? '1 client system' : `${total} client systems`}`;
  return write<SystemAction, never>(next, isLast ? because : `${because} so far`, { expiresAt });
}

/** How many client systems take part in an order. */
export const systemsOf = ({ nodes }: Pick<SystemAction, 'nodes'>): number => nodes.reduce((sum, { systems }) => sum + systems, 0);

function withMembers(before: SystemAction['nodes'], of: AddSystems['nodes'], members: AddSystems['members']): SystemAction['nodes'] {
  const next = new Map(before.map((one) => [one.node, one]));
  for (const { node } of members) {
    const known = next.get(node) ?? withNone(of.find((one) => one.node === node));
    next.set(node, { ...known, systems: known.systems + 1 });
  }
  return [...next.values()];
}

function withNone(node: AddSystems['nodes'][number] | undefined): SystemAction['nodes'][number] {
  if (!node) throw new Error('a client system takes part whose node was not named');
  return { ...node, systems: 0 };
}

/**
 * A node whose agent asks for its part of an order; `isAwaited`: its desired state has that part, and its time has not
 * passed.
 */
export type TakePart = { readonly node: NodeId; readonly zone: ZoneName; readonly isAwaited: boolean };

/**
 * Whether the agent of a node may work on its part: from the first time on it alone does, and an agent that has lost
 * what it knew of it does not begin anew. Nothing is taken before the order is whole, or after its time. Agents are
 * asked before the last call of an order is committed: one that comes in between asks again.
 */
export function decideTake(
  part: ActionOfNode | undefined,
  order: SystemAction | undefined,
  { node, zone, isAwaited }: TakePart,
  now: EpochMs,
): Decision<ActionOfNode> & { readonly is: 'taken' | 'later' | 'gone' } {
  const own = order?.nodes.find((one) => one.node === node);
  if (isAwaited && !part && (!own || order?.state !== 'ordered'))
    return { ...nothing('its client systems are still being added'), is: 'later' };
  if (!order || !own) return { ...nothing('nothing is ordered under this number here'), is: 'gone' };
  if (part && isCancelled(part)) return { ...nothing(part.why ?? 'it was cancelled'), is: 'gone' };
  if (part && isLost(part, now)) return { ...nothing('what became of it was not reported in time'), is: 'gone' };
  if (part) return { ...nothing(`it is ${part.state}`), is: part.state === 'taken' ? 'taken' : 'gone' };
  if (now > order.until) return { ...nothing('its time has passed'), is: 'gone' };
  if (order.state === 'collecting') return { ...nothing('its client systems are still being added'), is: 'later' };
  const none = { done: 0, failed: 0, left: 0, unknown: 0, cancelled: 0 };
  const { expiresAt } = order;
  const next: ActionOfNode = { zone, state: 'taken', at: now, seq: 0, systems: own.systems, ...none, examples: [], expiresAt };
  return { ...write<ActionOfNode, never>(next, 'its agent has taken it', { expiresAt }), is: 'taken' };
}

/** The part of a node that is cancelled unless its agent has taken it. */
export type CancelPart = { readonly by: string } & Pick<ActionOfNode, 'zone' | 'systems' | 'expiresAt'>;

/** Cancels the part of a node, which its agent can no longer take then; where it has taken it, nothing changes. */
export function decideCancel(part: ActionOfNode | undefined, cancel: CancelPart, now: EpochMs): Decision<ActionOfNode> {
  if (part) return nothing(isCancelled(part) ? 'it was cancelled already' : 'its agent has taken it');
  const { by, zone, systems, expiresAt } = cancel;
  const counts = { done: 0, failed: 0, left: 0, unknown: 0, cancelled: systems };
  const next: ActionOfNode = {
    zone,
    state: 'ended',
    at: now,
    seq: 0,
    systems,
    ...counts,
    examples: [],
    why: `cancelled by ${by}`,
    expiresAt,
  };
  return write<ActionOfNode, never>(next, `cancelled by ${by}`, { expiresAt });
}

/** Whether a part was cancelled before its agent took it. */
export const isCancelled = ({ state, seq }: Pick<ActionOfNode, 'state' | 'seq'>): boolean => state === 'ended' && seq === 0;

/** Records who has cancelled what no agent had taken: the first who did. */
export function decideCancelled(
  order: SystemAction | undefined,
  { by, systems }: { readonly by: string; readonly systems: number },
  now: EpochMs,
): Decision<SystemAction> {
  if (!order) return nothing('it is not known any more');
  if (order.cancelled) return nothing('it was cancelled already');
  const because = `${inWords(order.what)} cancelled on ${systems === 1 ? '1 client system' : `${systems} client systems`}`;
  return write<SystemAction, never>({ ...order, cancelled: { by, at: now } }, because, { expiresAt: order.expiresAt });
}

/** How long a part may be without its first report: an agent that has taken it asks its server within the hour. */
const firstReportWithinMs = dayMs;
/** How long it may be without another: its agent follows it for a week, and says when that is over. */
const reportWithinMs = 8 * dayMs;

/** From when on a part counts as ended, unless its agent reports before. */
export const lostAfter = ({ state, at }: Pick<ActionOfNode, 'state' | 'at'>): EpochMs =>
  plusMs(at, state === 'taken' ? firstReportWithinMs : reportWithinMs);

/**
 * Whether the agent of a part has lost what it knew of it: nobody knows what became of its client systems, and nothing
 * is scheduled again. What is reported later changes nothing, so that what has ended stays as it is.
 */
export const isLost = (part: ActionOfNode, now: EpochMs): boolean => part.state !== 'ended' && now > lostAfter(part);

/** What an agent reports of its part: all of it, each time. */
export type ReportPart = Omit<ActionOfNode, 'zone' | 'at' | 'systems' | 'state' | 'expiresAt'> & { readonly state: 'scheduled' | 'ended' };

/** How many client systems of a part are no longer in progress. */
export const endedOf = ({
  done,
  failed,
  left,
  unknown,
  cancelled,
}: Pick<ActionOfNode, 'done' | 'failed' | 'left' | 'unknown' | 'cancelled'>) => done + failed + left + unknown + cancelled;

/** Takes in what an agent reports. A report of a number that was taken in, or of an earlier one, changes nothing. */
export function decideReport(part: ActionOfNode | undefined, report: ReportPart, now: EpochMs): Decision<ActionOfNode> {
  if (!part) return nothing('its agent has not taken it');
  if (report.seq <= part.seq) return nothing(`report ${report.seq} was taken already`);
  if (part.state === 'ended') return nothing('it has ended');
  if (isLost(part, now)) return nothing('what became of it was not reported in time');
  if (endedOf(report) > part.systems) return nothing(`it reports more client systems than the ${part.systems} that it has`);
  const id = part.id ?? report.id;
  const { id: _id, ...rest } = report;
  const { zone, systems, expiresAt } = part;
  const next: ActionOfNode = { zone, systems, expiresAt, at: now, ...rest, ...(id !== undefined && { id }) };
  return write<ActionOfNode, never>(next, `${endedOf(report)} of ${systems} client systems have ended`, { expiresAt });
}

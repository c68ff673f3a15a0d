import type { Decision, Plan, PlannedChange } from '../../core/decision.ts';
import { Conflict } from '../../core/errors.ts';
import type { NodeId } from '../../core/ids.ts';
import { type EpochMs, minuteMs, plusMs } from '../../core/time.ts';
import { desiredRef, isGiven } from '../../nodes/desired/desired.ts';
import { decideSeat } from '../../nodes/desired/rows/order.ts';
import { nodeRef } from '../../nodes/node.ts';
import { apply } from '../../runtime/apply.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { read } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { decideChanged, type SeatNode } from './decide.ts';
import { seatNodeOf } from './fit.ts';
import { type Seat, seatRef } from './seat.ts';

/** A decision about the seat of a zone with what follows from it, the revision it was made from, and the seat then. */
export type SeatPlan<D = Decision<Seat>> = Plan & { readonly decision: D; readonly rev: number; readonly seat: Seat | undefined };

/** What a decision about a seat is made from: the seat as it is, and how its node is. */
export type Deciding<D = Decision<Seat>> = (seat: Seat | undefined, seatNode: SeatNode | undefined, now: EpochMs) => D;

/**
 * Decides about the seat of a zone. In the same commit the agents of the node that is the seat, and of the one that
 * was, are told.
 */
export async function planSeat<D extends Decision<Seat>>(
  shell: Shell,
  reading: Reading,
  zone: string,
  decide: Deciding<D>,
): Promise<SeatPlan<D>> {
  const ref = seatRef(zone);
  const row = await reading.row(ref);
  const now = shell.now();
  const before = stateOf(row, now);
  const { seated } = before ?? {};
  const node = seated && stateOf(await reading.row(nodeRef(seated.node)), now);
  const decision = decide(before, seated && seatNodeOf(node, seated.generation), now);
  const rev = row?.rev ?? 0;
  if (decision.does !== 'write') return { changes: [], because: [decision.because], decision, rev, seat: before };
  const told = await tellAgents(shell, reading, before, decision.next);
  const changes = [{ ref, readRev: rev, decision }, ...told];
  return { changes, because: [decision.because], decision, rev, seat: decision.next };
}

/** Tells the agents of nodes that are the seat until another moment than they know, or are not the seat any more. */
async function tellAgents(shell: Shell, reading: Reading, before: Seat | undefined, after: Seat): Promise<PlannedChange[]> {
  const [was, is] = [before?.seated, after.seated];
  const isSame = was && is && was.node === is.node && was.until === is.until && before?.epoch === after.epoch;
  if (isSame) return [];
  const nodes = [...new Set<NodeId>([was, is].flatMap((one) => one?.node ?? []))];
  const rows = await reading.rows(nodes.map((node) => desiredRef(node)));
  // It was ordered to have a revision since it was found: another is found instead.
  const isNew = is && (was?.node !== is.node || before?.epoch !== after.epoch);
  if (isNew && isGiven(stateOf(rows[nodes.indexOf(is.node)], shell.now()), is.generation, shell.now()))
    throw new Conflict(`desired ${is.node}`, `${is.fqdn} is to have a revision of common content`);
  return nodes.map((node, n) => {
    const seat = is?.node === node ? { epoch: after.epoch, until: is.until } : undefined;
    const decision = decideSeat(stateOf(rows[n], shell.now()), seat);
    return { ref: desiredRef(node), readRev: rows[n]?.rev ?? 0, decision };
  });
}

/** How long after a revision a server reports the changes that it made, at the most, in ms. */
const reportedMs = 2 * minuteMs;

/** Notes that a server has reported changes of common content, unless these are those of a revision. */
export async function noteChanges(shell: Shell, zone: string, { id, node }: { readonly id: string; readonly node: NodeId }): Promise<void> {
  const content = (await read(shell, desiredRef(node)))?.content;
  const isOfRevision = content && (!content.done || shell.now() < plusMs(content.done.at, reportedMs));
  if (isOfRevision && (await read(shell, seatRef(zone)))?.seated?.node !== node) return;
  await apply(shell, seatRef(zone), { id, node }, decideChanged);
}

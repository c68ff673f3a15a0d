import { Refusal } from '../../api/problem.ts';
import type { Decision, Plan, PlannedChange } from '../../core/decision.ts';
import type { NodeId, ZoneName } from '../../core/ids.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { type DesiredContent, desiredRef, isGiven } from '../../nodes/desired/desired.ts';
import { decideExport } from '../../nodes/desired/rows/order.ts';
import { nodeRef } from '../../nodes/node.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { changeOfRow, stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { planSeat } from '../seat/changes.ts';
import { decideRead, decideReading, othersAt } from '../seat/decide.ts';
import { candidateOf } from '../seat/fit.ts';
import { clocksMs, type Seat, seatRef } from '../seat/seat.ts';
import { decideApply, decideExported, decideExportFailed, type Exported, type Ordering, type Source } from './decide.ts';
import { contentRef, exportMs, revisionOf, type ZoneContent } from './revision.ts';

/** Whose content is read, and whether the editing of others is ended for it. */
export type Applying = Ordering & { readonly from: NodeId | undefined; readonly endsOthers: boolean };

/**
 * Has the content of a server become the next revision. In the same commit all editing ends. Throws a {@link Refusal}
 * where others edit, or no server is meant.
 */
export async function planApply(shell: Shell, reading: Reading, { from, endsOthers, ...ordering }: Applying): Promise<Plan> {
  const { zone, order, by } = ordering;
  const ref = contentRef(zone);
  const now = shell.now();
  const seat = stateOf(await reading.row(seatRef(zone)), now);
  const others = othersAt(seat, by);
  if (others.length > 0 && !endsOthers)
    throw new Refusal('refused', `others edit common content: ${others.join(', ')}. Ask them to finish, or end their editing`);
  const row = await reading.row(ref);
  const source = await sourceOf(reading, seat, { from, now, zone, content: stateOf(row, now) });
  const decision = decideApply(stateOf(row, now), ordering, source);
  if (decision.does === 'refuse') throw new Refusal('refused', decision.because);
  const { node, fqdn } = source;
  const ofSeat = await planSeat(shell, reading, zone, (was) =>
    decideReading(was, zone, { order, node, fqdn, until: plusMs(source.from, exportMs) }),
  );
  const changes = [{ ref, readRev: row?.rev ?? 0, decision }, ...ofSeat.changes];
  return { changes, because: [decision.because] };
}

type Wanted = {
  readonly from: NodeId | undefined;
  readonly now: EpochMs;
  readonly zone: ZoneName;
  readonly content: ZoneContent | undefined;
};

/**
 * The server whose content is read: the one that is meant, that is the seat, has changes of its own, or was the seat
 * last. Nothing can be edited there any more once the last grant has run out.
 */
async function sourceOf(reading: Reading, seat: Seat | undefined, { from, now, zone, content }: Wanted): Promise<Source> {
  const last = seat?.seated ?? seat?.ahead?.[0] ?? seat?.before;
  const id = from ?? last?.node;
  if (id === undefined) throw new Refusal('refused', 'nobody has edited common content by Muster yet: name the server whose content it is');
  const [nodeRow, desiredRow] = await reading.rows([nodeRef(id), desiredRef(id)]);
  const [node, desired] = [stateOf(nodeRow, now), stateOf(desiredRow, now)];
  const candidate = node && candidateOf(node);
  if (!candidate || node.zone !== zone) throw new Refusal('refused', `${node?.fqdn ?? id} is no Uyuni server of zone ${zone} that is up`);
  if (isGiven(desired, node.generation, now))
    throw new Refusal('refused', `${node.fqdn} is to have revision ${desired?.content?.revision} first`);
  const has = desired?.content;
  const isBehind =
    content !== undefined &&
    content.last > 0 &&
    !(has?.generation === node.generation && has.revision === content.last && has.done?.is === 'applied');
  // An operator who names the server has looked.
  if (from === undefined && (isBehind || last?.generation !== node.generation))
    throw new Refusal(
      'refused',
      `${node.fqdn} was edited last, and does not have revision ${content?.last}, which would be undone: name the server whose content it is`,
    );
  const seated = seat?.seated;
  if (seated && seated.node !== candidate.node)
    throw new Refusal('refused', `common content is edited on ${seated.fqdn}: what is edited there would be lost. End that first`);
  const open = seated ?? seat?.before;
  const closes = open ? plusMs(open.until, clocksMs) : now;
  return { ...candidate, from: closes > now ? closes : now };
}

/** Records what the agent has read: the next revision begins, which its server has. */
export async function planExported(shell: Shell, reading: Reading, zone: ZoneName, exported: Exported): Promise<Plan> {
  const ref = contentRef(zone);
  const row = await reading.row(ref);
  const now = shell.now();
  const before = stateOf(row, now);
  const exporting = before?.exporting;
  const decision = decideExported(before, exported, now);
  const revision = decision.does === 'write' ? revisionOf(decision.next) : undefined;
  if (decision.does !== 'write' || !exporting || !revision) return { changes: [], because: [decision.because] };
  const content: DesiredContent = {
    order: exported.order,
    revision: revision.revision,
    manifest: revision.manifest,
    generation: exporting.generation,
    at: now,
    done: { is: 'applied', at: now, why: [] },
  };
  const own = await ofDesired(reading, exporting.node, now, ({ export: _read, ...desired } = { release: [] }) => ({
    does: 'write',
    next: { ...desired, content },
    events: [],
    because: `its content is revision ${revision.revision}`,
  }));
  const ofSeat = await planSeat(shell, reading, zone, (seat) => decideRead(seat, { order: exported.order, isDone: true }));
  const changes = [{ ref, readRev: row?.rev ?? 0, decision }, own, ...ofSeat.changes];
  return { changes, because: [decision.because] };
}

/** The content could not be read: common content may be edited again. */
export async function planExportFailed(
  shell: Shell,
  reading: Reading,
  zone: ZoneName,
  failed: { readonly order: string; readonly why: string },
): Promise<Plan> {
  const ref = contentRef(zone);
  const row = await reading.row(ref);
  const now = shell.now();
  const before = stateOf(row, now);
  const decision = decideExportFailed(before, failed, now);
  if (decision.does !== 'write' || !before?.exporting) return { changes: [], because: [decision.because] };
  const own = await ofDesired(reading, before.exporting.node, now, (desired) => decideExport(desired, undefined));
  const ofSeat = await planSeat(shell, reading, zone, (seat) => decideRead(seat, { order: failed.order, isDone: false }));
  const changes = [{ ref, readRev: row?.rev ?? 0, decision }, own, ...ofSeat.changes];
  return { changes, because: [decision.because] };
}

type Desired = Parameters<typeof decideExport>[0];

async function ofDesired(
  reading: Reading,
  node: NodeId,
  now: EpochMs,
  decide: (desired: Desired) => Decision<NonNullable<Desired>>,
): Promise<PlannedChange> {
  const row = await reading.row(desiredRef(node));
  return changeOfRow(desiredRef(node), row, decide(stateOf(row, now)));
}

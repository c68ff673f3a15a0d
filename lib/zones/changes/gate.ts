import { Refusal } from '../../api/problem.ts';
import type { Decision, Plan, PlannedChange, RowRef } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { entering, gateRef, type HeldGate, shutBecause, type ZoneGate } from '../gate/gate.ts';
import { type ResidentRow, residentRef, settling } from '../gate/resident.ts';
import { type ZoneHead, zoneRef } from '../zone.ts';

/** The gate of a zone as this reading has it; undefined when the zone does not exist. */
export async function gateOf(shell: Pick<Shell, 'now'>, reading: Reading, zone: string): Promise<HeldGate | undefined> {
  const head = await headOf(shell, reading, zone);
  return head && heldGate(head, await reading.row(gateRef(head.number)));
}

const headOf = async ({ now }: Pick<Shell, 'now'>, reading: Reading, zone: string): Promise<ZoneHead | undefined> =>
  stateOf(await reading.row(zoneRef(zone)), now());

const heldGate = ({ name, number }: ZoneHead, row: Row<ZoneGate> | undefined): HeldGate => ({
  gate: row?.body ?? { name },
  number,
  rev: row?.rev ?? 0,
});

/**
 * The changes to add to a commit that brings something into a zone, or why nothing may enter. `who`: the client system
 * or node that enters, which is a resident of the zone from that commit on.
 */
export async function enteringZone(
  shell: Pick<Shell, 'now'>,
  reading: Reading,
  zone: string,
  who?: ResidentRow,
): Promise<{ readonly changes: readonly PlannedChange[] } | { readonly shut: string }> {
  const head = await headOf(shell, reading, zone);
  if (!head) return { shut: `no zone is called ${zone}` };
  const [row, resident] = await reading.rows([gateRef(head.number), ...(who ? [residentRef(head.number, who)] : [])]);
  const held = heldGate(head, row);
  const shut = shutBecause(held.gate);
  return shut === undefined ? { changes: [entering(held), ...(who ? [settling(head.number, who, resident)] : [])] } : { shut };
}

/** The rows that {@link enteringZone} reads of these residents, for a caller that brings in many. */
export async function residentRows(
  shell: Pick<Shell, 'now'>,
  reading: Reading,
  zone: string,
  who: readonly ResidentRow[],
): Promise<readonly RowRef[]> {
  const head = await headOf(shell, reading, zone);
  return head ? who.map((one) => residentRef(head.number, one)) : [];
}

/** The result for a row that a call put into a zone. */
type Put<S> = Plan & { readonly decision: Decision<S>; readonly state: S | undefined };

/** Rows that change together with one that enters a zone, by what they are and what that row becomes. */
export type Beside<S> = {
  readonly refs: readonly RowRef[];
  readonly changes: (rows: readonly (Row | undefined)[], next: S) => readonly PlannedChange[];
};

type Entering<S> = { readonly ref: RowRef; readonly zone: string; readonly who?: ResidentRow; readonly beside?: Beside<S> };

/**
 * Like `apply`, for a command that puts its object into a zone: it commits only if the zone exists at that moment.
 * `who`: the client system or node that enters the zone, if any. Throws a {@link Refusal} for a zone that does not
 * exist, or is being deleted.
 */
export const applyInZone = <S, I extends { readonly id: string }>(
  shell: Shell,
  { ref, zone, who, beside }: Entering<S>,
  input: I,
  decide: (state: S | undefined, input: I, now: EpochMs) => Decision<S>,
): Promise<Put<S>> =>
  applyPlan(shell, input, async (reading): Promise<Put<S>> => {
    const [row, ...others] = await reading.rows([ref, ...(beside?.refs ?? [])]);
    const before = stateOf<S>(row, shell.now());
    const decision = decide(before, input, shell.now());
    if (decision.does !== 'write') return { changes: [], because: [decision.because], decision, state: before };
    const entry = await enteringZone(shell, reading, zone, who);
    if ('shut' in entry) throw new Refusal('unknown-zone', entry.shut);
    const put = { ref, readRev: row?.rev ?? 0, decision };
    const besides = beside?.changes(others, decision.next) ?? [];
    return { changes: [put, ...entry.changes, ...besides], because: [decision.because], decision, state: decision.next };
  });

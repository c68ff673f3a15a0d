import { Refusal } from '../../api/problem.ts';
import type { Decision, Plan, PlannedChange, RowRef } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { entering, gateRef, type HeldGate, shutBecause, type ZoneGate } from '../gate/gate.ts';
import { residentRef, type Settler, settling } from '../gate/resident.ts';
import { type ZoneHead, zoneRef } from '../zone.ts';

/** The gate of a zone as this reading has it; undefined when there is no such zone. */
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
 * What belongs to the commit that brings something into a zone, or why nothing may come in. `who`: the client system or
 * node that comes, which is a resident of the zone from that commit on.
 */
export async function enteringZone(
  shell: Pick<Shell, 'now'>,
  reading: Reading,
  zone: string,
  who?: Settler,
): Promise<{ readonly changes: readonly PlannedChange[] } | { readonly shut: string }> {
  const head = await headOf(shell, reading, zone);
  if (!head) return { shut: `no zone is called ${zone}` };
  const [row, resident] = await reading.rows([gateRef(head.number), ...(who ? [residentRef(head.number, who)] : [])]);
  const held = heldGate(head, row);
  const shut = shutBecause(held.gate);
  return shut === undefined ? { changes: [entering(held), ...(who ? [settling(head.number, who, resident)] : [])] } : { shut };
}

/** What became of a row that a call put into a zone. */
type Put<S> = Plan & { readonly decision: Decision<S>; readonly state: S | undefined };

/**
 * As `apply` does, for a command that puts what the row is about into a zone: it holds only if the zone is there when
 * it is committed. `who`: whom it brings into the zone, if anybody. Throws a {@link Refusal} for a zone that is not
 * there, or is being deleted.
 */
export const applyInZone = <S, I extends { readonly id: string }>(
  shell: Shell,
  { ref, zone, who }: { readonly ref: RowRef; readonly zone: string; readonly who?: Settler },
  input: I,
  decide: (state: S | undefined, input: I, now: EpochMs) => Decision<S>,
): Promise<Put<S>> =>
  applyPlan(shell, input, async (reading): Promise<Put<S>> => {
    const row = await reading.row(ref);
    const before = stateOf<S>(row, shell.now());
    const decision = decide(before, input, shell.now());
    if (decision.does !== 'write') return { changes: [], because: [decision.because], decision, state: before };
    const entry = await enteringZone(shell, reading, zone, who);
    if ('shut' in entry) throw new Refusal('unknown-zone', entry.shut);
    const put = { ref, readRev: row?.rev ?? 0, decision };
    return { changes: [put, ...entry.changes], because: [decision.because], decision, state: decision.next };
  });

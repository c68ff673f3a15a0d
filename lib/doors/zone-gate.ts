import { Refusal } from '../api/problem.ts';
import type { Decision, Plan, PlannedChange, RowRef } from '../decision.ts';
import { applyPlan, type Reading } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import type { EpochMs } from '../units.ts';
import { entering, gateRef, type HeldGate, shutBecause, type ZoneGate } from '../zones/gate.ts';
import type { ZoneHead } from '../zones/zone.ts';

/** The gate of a zone as this reading has it; undefined when there is no such zone. */
export async function gateOf(shell: Pick<Shell, 'now'>, reading: Reading, zone: string): Promise<HeldGate | undefined> {
  const head = stateOf<ZoneHead>(await reading.row({ noun: 'zone', id: zone }), shell.now());
  if (!head) return undefined;
  const row = await reading.row(gateRef(head.number));
  return { gate: (row?.body as ZoneGate | undefined) ?? { name: head.name }, number: head.number, rev: row?.rev ?? 0 };
}

/** What a commit checks that brings something into a zone, or why nothing may come in. */
export async function enteringZone(
  shell: Pick<Shell, 'now'>,
  reading: Reading,
  zone: string,
): Promise<{ readonly check: PlannedChange } | { readonly shut: string }> {
  const held = await gateOf(shell, reading, zone);
  const shut = held ? shutBecause(held.gate) : `no zone is called ${zone}`;
  return held && shut === undefined ? { check: entering(held) } : { shut: shut! };
}

/** What became of a row that a call put into a zone. */
type Put<S> = Plan & { readonly decision: Decision<S>; readonly state: S | undefined };

/**
 * As `apply` does, for a command that puts what the row is about into a zone: it holds only if the zone is there when it is committed.
 * Throws a {@link Refusal} for a zone that is not there, or is being deleted.
 */
export const applyInZone = <S, I extends { readonly id: string }>(
  shell: Shell,
  { ref, zone }: { readonly ref: RowRef; readonly zone: string },
  input: I,
  decide: (state: S | undefined, input: I, now: EpochMs) => Decision<S>,
): Promise<Put<S>> =>
  applyPlan(shell, input, async (reading): Promise<Put<S>> => {
    const row = await reading.row(ref);
    const before = stateOf<S>(row, shell.now());
    const decision = decide(before, input, shell.now());
    if (decision.does !== 'write') return { changes: [], because: [decision.because], decision, state: before };
    const entry = await enteringZone(shell, reading, zone);
    if ('shut' in entry) throw new Refusal('unknown-zone', entry.shut);
    const put = { ref, readRev: row?.rev ?? 0, decision };
    return { changes: [put, entry.check], because: [decision.because], decision, state: decision.next };
  });

import type { Tick } from '../../core/decision.ts';
import { ZoneName } from '../../core/ids.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { restUntil } from '../../runtime/rest.ts';
import type { Shell } from '../../runtime/shell.ts';
import { planSeat } from './changes.ts';
import { decideTick } from './decide.ts';
import { seatRef } from './seat.ts';

/** Applies the passing of time to the seat of a zone. */
export async function tickSeat(shell: Shell, zone: string, tick: Tick): Promise<void> {
  const id = `tick-${shell.newId()}`;
  const { decision, rev } = await applyPlan(shell, { id }, (reading) =>
    planSeat(shell, reading, zone, (seat, seatNode, now) => decideTick(seat, { ...tick, zone: ZoneName.parse(zone), seatNode }, now)),
  );
  shell.log('info', 'seat.decided', { zone, does: decision.does, because: decision.because });
  if (decision.does === 'nothing') await restUntil(shell, seatRef(zone), { ...decision, rev });
}

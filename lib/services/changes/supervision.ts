import { type Decision, nothing } from '../../core/decision.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Service, supervisorType } from '../service.ts';
import { type SupervisionHead, supervisionRef } from '../watch-set.ts';

const isOnline = (service: Service | undefined): boolean => service?.state.is === 'online';

/**
 * Gives notice that the supervision may change with a decision about a service: the service was registered or
 * unregistered, or is a supervisor that went online or ceased to be online.
 */
export async function lookAfterService(shell: Shell, before: Service | undefined, decision: Decision<Service>): Promise<void> {
  if (decision.does === 'nothing') return;
  const after = decision.does === 'write' ? decision.next : undefined;
  const { type, zone } = (after ?? before)!;
  if (!before === !after && !(type === supervisorType && isOnline(before) !== isOnline(after))) return;
  await lookAtSupervision(shell, zone);
}

/**
 * Has the next sweep plan the supervision of a zone, if a supervisor was ever registered there. It costs one read, and
 * a write only for the first notice between two sweeps.
 */
export async function lookAtSupervision(shell: Shell, zone: string): Promise<void> {
  const now = shell.now();
  const row = await readRow(shell, supervisionRef(zone));
  if (!stateOf(row, now) || (row?.wakeAt !== undefined && row.wakeAt <= now)) return;
  const input = { type: 'tick' as const, id: `look-${shell.newId()}` };
  const soon = (head: SupervisionHead | undefined): Decision<SupervisionHead> =>
    nothing('services or supervisors of the zone have changed', head && now);
  await apply(shell, supervisionRef(zone), input, soon, row);
}

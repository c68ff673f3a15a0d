import { type EpochMs, secondMs } from '../core/time.ts';
import { apply } from '../runtime/apply.ts';
import type { Shell } from '../runtime/shell.ts';
import type { DeliveryCommand } from './command.ts';
import { decideDelivery } from './decide.ts';
import { deliveryRef, type Envelope, placeOf } from './delivery.ts';

/** Which attempt of which delivery is to be made, and not before when: what the function sends itself. */
export type DeliverOrder = {
  readonly type: 'deliver';
  readonly id: string;
  readonly webhook: string;
  readonly place: string;
  readonly round: number;
  readonly attempt: number;
  readonly notBefore: EpochMs;
};

/** The longest that a queue hides a message; what is due later is sent on when it comes. */
const hiddenMaxMs = 15 * 60 * secondMs;

/** Has an attempt made when its time comes. */
export const order = (shell: Shell, what: Omit<DeliverOrder, 'type' | 'id'>): Promise<void> => {
  const { webhook, place, round, attempt, notBefore } = what;
  const one: DeliverOrder = { type: 'deliver', id: `${webhook}/${place}@${round}.${attempt}`, ...what };
  const delayMs = Math.min(hiddenMaxMs, Math.max(0, notBefore - shell.now()));
  return shell.queue.send('webhooks', JSON.stringify(one), { delayMs });
};

/** Carries out what happens to a delivery. */
export const applyDelivery = (shell: Shell, webhook: string, place: string, command: DeliveryCommand) =>
  apply(shell, deliveryRef(webhook, place), command, decideDelivery);

/**
 * Has an event delivered to one webhook: once, however often the event comes. `again` begins anew what was delivered or
 * given up. Neither is put down to anybody: whoever asked for it stands in the row of the webhooks.
 */
export async function begin({ actor: _none, ...shell }: Shell, webhook: string, event: Envelope, by: string, again = false): Promise<void> {
  const place = placeOf(event);
  const begun = await applyDelivery(shell, webhook, place, { type: 'begin', id: by, webhook, event });
  const isKnown = begun.decision.does === 'nothing';
  const { state } = isKnown && again ? await applyDelivery(shell, webhook, place, { type: 'replay', id: by }) : begun;
  // Also when the row was there: whoever made it may have died before it said so.
  if (state?.status === 'pending' && state.attempts === 0)
    await order(shell, { webhook, place, round: state.round, attempt: 1, notBefore: shell.now() });
}

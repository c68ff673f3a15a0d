import { type EpochMs, secondMs } from '../core/time.ts';
import { apply } from '../runtime/apply.ts';
import type { Shell } from '../runtime/shell.ts';
import type { DeliveryCommand } from './command.ts';
import { decideDelivery } from './decide.ts';
import { deliveryRef, type Envelope, placeOf } from './delivery.ts';

/** An attempt of a delivery to make, and its earliest moment. The function sends this message to itself. */
export type DeliverOrder = {
  readonly type: 'deliver';
  readonly id: string;
  readonly webhook: string;
  readonly place: string;
  readonly round: number;
  readonly attempt: number;
  readonly notBefore: EpochMs;
};

/** The longest delay of a message in the queue; a message that is due later is sent on when it comes. */
const hiddenMaxMs = 15 * 60 * secondMs;

/** Orders an attempt for its time. */
export const order = (shell: Shell, what: Omit<DeliverOrder, 'type' | 'id'>): Promise<void> => {
  const { webhook, place, round, attempt, notBefore } = what;
  const one: DeliverOrder = { type: 'deliver', id: `${webhook}/${place}@${round}.${attempt}`, ...what };
  const delayMs = Math.min(hiddenMaxMs, Math.max(0, notBefore - shell.now()));
  return shell.queue.send('webhooks', JSON.stringify(one), { delayMs });
};

/** Applies a command to a delivery. */
export const applyDelivery = (shell: Shell, webhook: string, place: string, command: DeliveryCommand) =>
  apply(shell, deliveryRef(webhook, place), command, decideDelivery);

/**
 * Begins the delivery of an event to one webhook: once, however often the event comes. `again` begins a delivery anew
 * that was delivered or given up. The audit attributes neither to a caller: the row of the webhooks names who requested
 * it.
 */
export async function begin({ actor: _none, ...shell }: Shell, webhook: string, event: Envelope, by: string, again = false): Promise<void> {
  const place = placeOf(event);
  const begun = await applyDelivery(shell, webhook, place, { type: 'begin', id: by, webhook, event });
  const isKnown = begun.decision.does === 'nothing';
  const { state } = isKnown && again ? await applyDelivery(shell, webhook, place, { type: 'replay', id: by }) : begun;
  // Also when the row was there: the process that wrote it may have died before it ordered the attempt.
  if (state?.status === 'pending' && state.attempts === 0)
    await order(shell, { webhook, place, round: state.round, attempt: 1, notBefore: shell.now() });
}

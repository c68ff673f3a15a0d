import { clientRef } from '../clients/client.ts';
import { withoutOthers } from '../clients/rows/machine-id.ts';
import { type EpochMs, secondMs } from '../core/time.ts';
import { apply } from '../runtime/apply.ts';
import { stateOf } from '../runtime/content.ts';
import { read, readRow } from '../runtime/read.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import type { DeliveryCommand } from './command.ts';
import { decideDelivery } from './decide.ts';
import { deliveryRef, type Envelope, placeOf } from './delivery.ts';
import { type Webhook, webhooksRef } from './webhook.ts';

/**
 * How old what an environment knows of the webhooks may be: so soon after it was added a webhook is told of events
 * everywhere.
 */
const maxAgeMs = 5 * secondMs;

type Met = { webhooks: readonly Webhook[]; readAt: EpochMs };

/** The webhooks as this environment last read them, seconds ago at the most. */
export async function webhooksNow(shell: Shell): Promise<readonly Webhook[]> {
  const met = cached<{ last?: Met }>(shell, 'webhooks', () => ({}));
  const now = shell.now();
  if (!met.last || Math.abs(now - met.last.readAt) > maxAgeMs) met.last = { webhooks: await readWebhooks(shell), readAt: now };
  return met.last.webhooks;
}

/** This environment has just changed them: the next look reads them anew. */
export const forgetWebhooks = (shell: Shell): void => void shell.caches.delete('webhooks');

/** The webhooks as they are this moment. */
export const readWebhooks = async (shell: Shell): Promise<readonly Webhook[]> => (await read(shell, webhooksRef))?.webhooks ?? [];

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

/**
 * An event as it is told to a webhook: one of some zones does not hear which keys of any other say a machine id too.
 */
export const shownTo = ({ zones }: Webhook, event: Envelope): Envelope =>
  zones === 'all' ? event : { ...event, data: withoutOthers(event.type, event.data) };

/**
 * The zone that an event is about: what it says itself, or of a client system where that is or asks to be; undefined
 * for what is of none.
 */
export async function zoneOfEvent(shell: Shell, { subject, data }: Envelope): Promise<string | undefined> {
  const said = data['zone'];
  if (typeof said === 'string') return said;
  if (!subject.startsWith('client/')) return undefined;
  const row = await readRow(shell, clientRef(subject.slice('client/'.length)));
  const client = stateOf(row, shell.now());
  return client?.zone;
}

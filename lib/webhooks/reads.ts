import { clientRef } from '../clients/client.ts';
import { withoutOthers } from '../clients/rows/machine-id.ts';
import { type EpochMs, secondMs } from '../core/time.ts';
import { stateOf } from '../runtime/content.ts';
import { read, readRow } from '../runtime/read.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import type { Envelope } from './delivery.ts';
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

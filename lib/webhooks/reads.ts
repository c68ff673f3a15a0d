import { clientRef } from '../clients/client.ts';
import { withoutOthers } from '../clients/rows/claims.ts';
import { type EpochMs, secondMs } from '../core/time.ts';
import { stateOf } from '../runtime/content.ts';
import { read, readRow } from '../runtime/read.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import type { Envelope } from './delivery.ts';
import { type Webhook, webhooksRef } from './webhook.ts';

/**
 * The greatest age of the cached webhooks: this long after it was added, a webhook receives events from every
 * environment.
 */
const maxAgeMs = 5 * secondMs;

type CachedWebhooks = { webhooks: readonly Webhook[]; readAt: EpochMs };

/** The webhooks as this environment last read them, at most seconds ago. */
export async function webhooksNow(shell: Shell): Promise<readonly Webhook[]> {
  const cache = cached<{ last?: CachedWebhooks }>(shell, 'webhooks', () => ({}));
  const now = shell.now();
  if (!cache.last || Math.abs(now - cache.last.readAt) > maxAgeMs) cache.last = { webhooks: await readWebhooks(shell), readAt: now };
  return cache.last.webhooks;
}

/** Drops the cached webhooks after this environment changed them: the next read goes to the table. */
export const forgetWebhooks = (shell: Shell): void => void shell.caches.delete('webhooks');

/** The webhooks as the table has them now. */
export const readWebhooks = async (shell: Shell): Promise<readonly Webhook[]> => (await read(shell, webhooksRef))?.webhooks ?? [];

/**
 * An event as a webhook receives it: a webhook of some zones does not learn which keys of other zones report the same
 * machine id.
 */
export const visibleTo = ({ zones }: Webhook, event: Envelope): Envelope =>
  zones === 'all' ? event : { ...event, data: withoutOthers(event.type, event.data) };

/**
 * The zone of an event: the zone in its data, or the zone of its client system or that this one asks for; undefined for
 * an event of no zone.
 */
export async function zoneOfEvent(shell: Shell, { subject, data }: Envelope): Promise<string | undefined> {
  const named = data['zone'];
  if (typeof named === 'string') return named;
  if (!subject.startsWith('client/')) return undefined;
  const row = await readRow(shell, clientRef(subject.slice('client/'.length)));
  const client = stateOf(row, shell.now());
  return client?.zone;
}

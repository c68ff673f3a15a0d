import { type Decision, nothing, write } from '../core/decision.ts';
import { type EpochMs, plusMs, unreachable } from '../core/time.ts';
import type { DeliveryCommand, SecretCommand, WebhooksCommand } from './command.ts';
import { type Delivery, storedForMs } from './delivery.ts';
import { secretBeforeForMs, type Webhook, type WebhookSecret, type Webhooks, webhooksMax } from './webhook.ts';

/** Decides what a command of an administrator, or the answer of a target, means for the webhooks. */
export function decideWebhooks(row: Webhooks | undefined, command: WebhooksCommand, now: EpochMs): Decision<Webhooks> {
  const all = row?.webhooks ?? [];
  if (command.type === 'add')
    return all.length >= webhooksMax
      ? nothing(`there are ${webhooksMax} webhooks already`)
      : changed([...all, command.webhook], `webhook ${command.webhook.id} added`);
  const named = all.find(({ id }) => id === command.webhook);
  if (!named) return nothing('there is no such webhook');
  const { disabled, ...enabled } = named;
  const replaced = (next: Webhook, because: string): Decision<Webhooks> =>
    changed(
      all.map((one) => (one === named ? next : one)),
      because,
    );
  switch (command.type) {
    case 'remove':
      return changed(
        all.filter((one) => one !== named),
        `webhook ${named.id} removed`,
      );
    case 'enable':
      return disabled ? replaced(enabled, `webhook ${named.id} enabled again`) : nothing('it is not disabled');
    case 'disable':
      if (disabled) return nothing('it is disabled already');
      return replaced({ ...named, disabled: { at: now, because: command.because } }, `webhook ${named.id} disabled: ${command.because}`);
    case 'replay':
      return replaced({ ...named, replayedAt: now }, `deliveries of webhook ${named.id} are replayed`);
    case 'rotated':
      return replaced({ ...named, rotatedAt: now }, `the secret of webhook ${named.id} is replaced`);
    default:
      return unreachable(command);
  }
}

const changed = (webhooks: Webhooks['webhooks'], because: string): Decision<Webhooks> => write<Webhooks, never>({ webhooks }, because);

/** Replaces the secret that signs. The previous secret also signs for a day; the first secret has none before it. */
export function decideSecret(row: WebhookSecret | undefined, { secret }: SecretCommand, now: EpochMs): Decision<WebhookSecret> {
  const before = row && { secret: row.current, until: plusMs(now, secretBeforeForMs) };
  return write<WebhookSecret, never>(
    { current: secret, since: now, ...(before && { before }) },
    row ? 'a new secret signs; the previous one also signs for a day' : 'the first secret',
  );
}

/** Decides what an event, an attempt or a replay means for one delivery. A repeat changes nothing. */
export function decideDelivery(delivery: Delivery | undefined, command: DeliveryCommand, now: EpochMs): Decision<Delivery> {
  if (command.type === 'begin') {
    if (delivery) return nothing('the delivery exists already');
    const { webhook, event } = command;
    return stored({ webhook, event, status: 'pending', round: 0, since: now, attempts: 0 }, 'the webhook subscribes to this event', now);
  }
  if (!delivery) return nothing('there is no such delivery, or it has expired');
  switch (command.type) {
    case 'attempted':
      return onAttempt(delivery, command, now);
    case 'replay': {
      const { nextAt: _none, ...before } = delivery;
      return stored({ ...before, status: 'pending', round: delivery.round + 1, since: now, attempts: 0 }, 'replayed', now);
    }
    default:
      return unreachable(command);
  }
}

function onAttempt(
  delivery: Delivery,
  { round, attempt, outcome, nextAt }: Extract<DeliveryCommand, { type: 'attempted' }>,
  now: EpochMs,
): Decision<Delivery> {
  if (delivery.round !== round || delivery.status !== 'pending') return nothing('this round is over');
  if (attempt <= delivery.attempts) return nothing(`attempt ${attempt} is recorded already`);
  const { nextAt: _past, ...before } = delivery;
  const { status: answered, because, delivered } = outcome;
  const last = { at: now, because, ...(answered !== undefined && { status: answered }) };
  const status = delivered ? 'delivered' : nextAt === undefined ? 'dead' : 'pending';
  return stored({ ...before, status, attempts: attempt, last, ...(status === 'pending' && { nextAt: nextAt! }) }, because, now);
}

const stored = (delivery: Delivery, because: string, now: EpochMs): Decision<Delivery> =>
  write<Delivery, never>(delivery, because, { expiresAt: plusMs(now, storedForMs) });

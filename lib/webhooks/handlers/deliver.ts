import * as z from 'zod';
import { Poison } from '../../core/errors.ts';
import { EpochMs, plusMs, secondMs } from '../../core/time.ts';
import { type SignedDelivery, webhookHeaders } from '../../identity/webhook-signature.ts';
import type { Posted } from '../../ports/outbound/outbound.ts';
import { apply } from '../../runtime/apply.ts';
import { read } from '../../runtime/read.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { applyDelivery, begin, type DeliverOrder, order } from '../changes.ts';
import { decideWebhooks } from '../decide.ts';
import { attemptMs, type Delivery, deliveryRef, Envelope, givenUpAfterMs, type Outcome, pauseMs, targetPauseMs } from '../delivery.ts';
import { forgetWebhooks, visibleTo, webhooksNow, zoneOfEvent } from '../reads.ts';
import { secretRef, signingSecrets, type Webhook, wants, webhooksRef } from '../webhook.ts';

/** An event of the bus that may be delivered. */
type Heard = { readonly type: 'heard'; readonly id: string; readonly event: Envelope };
/** A message to the function that delivers. */
export type WebhookMessage = Heard | DeliverOrder;

const Deliver = z.strictObject({
  type: z.literal('deliver'),
  id: z.string(),
  webhook: z.string(),
  place: z.string(),
  round: z.int(),
  attempt: z.int().positive(),
  notBefore: EpochMs,
});

/** The readers of messages to the function that delivers: its own orders, and the events from a rule of the bus. */
export const webhookMessages = {
  endpoint: Deliver as z.ZodType<WebhookMessage>,
  bus: (raw: unknown): WebhookMessage => {
    const read = Envelope.safeParse(raw);
    if (!read.success) throw new Poison('wrong-shape', `the message from the bus is not an event: ${z.prettifyError(read.error)}`);
    return { type: 'heard', id: read.data.id, event: read.data };
  },
};

/**
 * Begins the deliveries of an event, or makes an attempt. Throws Later for a transient failure of Muster, never for one
 * of a target.
 */
export const onWebhookMessage = (message: WebhookMessage, shell: Shell): Promise<void> =>
  message.type === 'heard' ? fanOut(message, shell) : deliver(message, shell);

async function fanOut({ id, event }: Heard, shell: Shell): Promise<void> {
  const asking = (await webhooksNow(shell)).filter((webhook) => wants({ ...webhook, zones: 'all' }, event, undefined));
  if (asking.length === 0) return;
  const zone = asking.every(({ zones }) => zones === 'all') ? undefined : await zoneOfEvent(shell, event);
  for (const webhook of asking.filter((one) => wants(one, event, zone))) await begin(shell, webhook.id, visibleTo(webhook, event), id);
}

async function deliver(ordered: DeliverOrder, shell: Shell): Promise<void> {
  const { webhook: id, place, round, attempt, notBefore } = ordered;
  if (notBefore > shell.now()) return order(shell, ordered);
  const delivery = await read(shell, deliveryRef(id, place));
  if (delivery?.status !== 'pending') return;
  // A replay has ended this round; the process that wrote it may have died before it ordered its first attempt.
  if (delivery.round > round && delivery.attempts === 0)
    return order(shell, { webhook: id, place, round: delivery.round, attempt: 1, notBefore: shell.now() });
  if (delivery.round !== round || delivery.attempts > attempt) return;
  // The attempt is recorded; the process that made it died before it ordered the next one.
  if (delivery.attempts === attempt) return order(shell, { ...ordered, attempt: attempt + 1, notBefore: delivery.nextAt ?? shell.now() });
  const webhook = (await webhooksNow(shell)).find((one) => one.id === id);
  if (!webhook || webhook.disabled) return note(ordered, delivery, { because: 'the webhook is removed or disabled', final: true }, shell);
  const target = targetOf(shell, id);
  const blocked = pausedUntil(target, shell.now());
  if (blocked === undefined) return note(ordered, delivery, await attempted(webhook, delivery.event, target, shell), shell);
  if (blocked - delivery.since > givenUpAfterMs)
    return note(ordered, delivery, { because: 'its target was unavailable the whole time', final: true }, shell);
  return order(shell, { ...ordered, notBefore: plusMs(blocked, Math.round(shell.random() * 10 * secondMs)) });
}

/** Records the outcome of an attempt, and orders the next one if there is one. */
async function note(
  { webhook, place, round, attempt }: DeliverOrder,
  { event, since }: Delivery,
  outcome: Outcome,
  shell: Shell,
): Promise<void> {
  const next = plusMs(shell.now(), pauseMs(attempt, shell.random()));
  const nextAt = outcome.delivered || outcome.final || next - since > givenUpAfterMs ? undefined : next;
  const id = `${webhook}/${place}@${round}.${attempt}`;
  const { state } = await applyDelivery(shell, webhook, place, { type: 'attempted', id, round, attempt, outcome, nextAt });
  const { status: answered, because } = outcome;
  if (outcome.delivered) shell.log('info', 'webhook.delivered', { webhook, event: event.id, attempt, answered });
  else shell.log('warn', nextAt === undefined ? 'webhook.dead' : 'webhook.failed', { webhook, event: event.id, attempt, because });
  if (state?.status === 'pending' && state.round === round && nextAt !== undefined)
    await order(shell, { webhook, place, round, attempt: attempt + 1, notBefore: nextAt });
}

/**
 * The state of a target in this environment: the calls under way, the failures in a row, and until when it is not
 * called.
 */
type TargetState = { inFlight: number; failures: number; until: EpochMs };
const targetOf = (shell: Shell, webhook: string): TargetState =>
  cached(shell, `target of webhook ${webhook}`, () => ({ inFlight: 0, failures: 0, until: 0 as EpochMs }));

/**
 * Until when a target is not called; undefined when it may be called now. After a failure one call at a time tries a
 * target, so that few batches wait for it in vain.
 */
function pausedUntil({ inFlight, failures, until }: TargetState, now: EpochMs): EpochMs | undefined {
  if (until > now) return until;
  return failures > 0 && inFlight > 0 ? plusMs(now, secondMs) : undefined;
}

async function attempted(webhook: Webhook, event: Envelope, target: TargetState, shell: Shell): Promise<Outcome> {
  target.inFlight += 1;
  try {
    const posted = await post(webhook, { id: event.id, body: JSON.stringify(event) }, shell);
    const isAway = 'failed' in posted || posted.status >= 500 || posted.status === 429;
    target.failures = isAway ? target.failures + 1 : 0;
    target.until = (isAway ? plusMs(shell.now(), targetPauseMs(target.failures)) : 0) as EpochMs;
    const outcome = outcomeOf(posted);
    if (outcome.final) await disable(webhook, outcome.because, shell);
    return outcome;
  } finally {
    target.inFlight -= 1;
  }
}

/** Sends one signed message to a webhook's target, once. */
export async function post({ id, url }: Webhook, message: Omit<SignedDelivery, 'timestampS'>, shell: Shell): Promise<Posted> {
  if (!shell.outbound) throw new Error('this function has no outbound calls: its entry in the wiring has no `calls`');
  const secret = await read(shell, secretRef(id));
  if (!secret) return { failed: 'the webhook is removed' };
  const timestampS = Math.floor(shell.now() / 1000);
  const signed = webhookHeaders(signingSecrets(secret, shell.now()), { ...message, timestampS });
  const headers = { 'content-type': 'application/json', 'user-agent': 'muster-webhooks', ...signed };
  return shell.outbound.post({ url, headers, body: message.body, timeoutMs: attemptMs });
}

/**
 * The outcome of an answer. 2xx is a delivery; 410 is final. A redirect is a failure like any other status, since
 * Muster does not follow it.
 */
export function outcomeOf(posted: Posted): Outcome {
  if ('failed' in posted) return { because: posted.failed };
  const { status } = posted;
  if (status >= 200 && status < 300) return { status, because: `answered ${status}`, delivered: true };
  if (status === 410) return { status, because: 'answered 410: the target is gone', final: true };
  return { status, because: `answered ${status}${status >= 300 && status < 400 ? ', and redirects are not followed' : ''}` };
}

async function disable({ id }: Webhook, because: string, shell: Shell): Promise<void> {
  const command = { type: 'disable', id: shell.newId(), webhook: id, because } as const;
  await apply(shell, webhooksRef, command, decideWebhooks);
  forgetWebhooks(shell);
  shell.log('warn', 'webhook.disabled', { webhook: id, because });
}

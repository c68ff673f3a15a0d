import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { isEverywhere, seesZone } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import type { ZoneName } from '../../core/ids.ts';
import type { Reach } from '../../identity/rights.ts';
import { mintWebhookSecret } from '../../identity/webhook-signature.ts';
import { urlCharactersMax } from '../../ports/outbound/target.ts';
import { deliveriesOf, historyPartition, historySort, keyOf } from '../../ports/table/keys.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import { cursorAt, positionOf } from '../../runtime/cursors.ts';
import { envelopesOf, type HistoryEntry } from '../../runtime/on-feed.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { trustedRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { refuseUnknown } from '../../zones/reads/found.ts';
import { begin } from '../changes.ts';
import type { WebhooksCommand } from '../command.ts';
import { decideSecret, decideWebhooks } from '../decide.ts';
import { type Delivery, deliveryRef, type Envelope, placeAt } from '../delivery.ts';
import { forgetWebhooks, readWebhooks, visibleTo, zoneOfEvent } from '../reads.ts';
import { replayedMax } from '../routes.ts';
import { deliveryView, webhookView } from '../view.ts';
import { secretRef, type Webhook, WebhookId, wants, webhooksRef } from '../webhook.ts';
import { outcomeOf, post } from './deliver.ts';

/** Adds a webhook for the zones of its maker or some of them. Only this answer contains its secret. */
export async function addWebhook({ body, request, caller }: AdminCall<'addWebhook'>, shell: Shell): Promise<Answer> {
  const { url, types, severity } = body;
  await refuseTarget(shell, url);
  const zones = await zonesOf(shell, body.zones, caller);
  const webhook: Webhook = {
    id: WebhookId.parse(idOf(shell)),
    url,
    zones: zones === 'all' ? zones : [...zones],
    ...(types && { types: [...new Set(types)] }),
    ...(severity && { severity }),
    createdAt: shell.now(),
    createdBy: caller.actor!.who,
  };
  // The secret is written first: a secret without a webhook signs nothing, but a webhook without a secret could not
  // sign.
  const secret = await newSecret(shell, webhook.id, request.id);
  const { decision } = await carryOut(shell, request.id, { type: 'add', webhook });
  if (decision.does === 'nothing') throw new Refusal('refused', decision.because);
  return { status: 201, body: { secret, webhook: webhookView(webhook) } };
}

async function refuseTarget(shell: Shell, url: string): Promise<void> {
  const refused = await outboundOf(shell).refuses(url);
  if (refused === undefined) return;
  const isForm = url.length > urlCharactersMax || !URL.canParse(url);
  throw new Refusal(isForm ? 'invalid' : 'private-target', `/url: ${refused}`, { errors: [{ pointer: '/url', detail: refused }] });
}

function outboundOf({ outbound }: Shell) {
  if (!outbound) throw new Error('this function has no outbound calls: its entry in the wiring has no `calls`');
  return outbound;
}

async function zonesOf(shell: Shell, asked: readonly ZoneName[] | undefined, caller: AdminCaller): Promise<Reach> {
  if (!asked) return caller.zones;
  for (const zone of asked) await refuseUnknown(shell, zone, caller);
  return [...new Set(asked)].sort();
}

const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const idOf = (shell: Shell): string => Array.from(shell.randomBytes(12), (byte) => letters[byte % letters.length]).join('');

/** The webhooks that the caller can see: those that are limited to zones of the caller. */
export async function listWebhooks({ caller }: AdminCall<'listWebhooks'>, shell: Shell): Promise<Answer> {
  const webhooks = (await readWebhooks(shell)).filter((webhook) => sees(caller, webhook));
  return { status: 200, body: { items: webhooks.map(webhookView) } };
}

const sees = (caller: AdminCaller, { zones }: Webhook): boolean =>
  zones === 'all' ? isEverywhere(caller) : zones.every((zone) => seesZone(caller, zone));

/**
 * Removes a webhook; waiting deliveries find it gone. Its secret signs nothing without it, and is overwritten when its
 * row ends.
 */
export async function removeWebhook({ params, request, caller }: AdminCall<'removeWebhook'>, shell: Shell): Promise<Answer> {
  const webhook = await found(shell, params.id, caller);
  await carryOut(shell, request.id, { type: 'remove', webhook: webhook.id });
  const { actor: _caller, ...quiet } = shell;
  await apply(quiet, secretRef(webhook.id), { id: request.id }, (secret) =>
    secret
      ? { does: 'remove', last: { ...secret, current: noSecret }, events: [], because: 'its webhook is removed' }
      : { does: 'nothing', because: 'the webhook has no secret' },
  );
  return { status: 200, body: webhookView(webhook) };
}

/** The text in place of a removed secret: it has the form of a secret, but signs nothing. */
const noSecret = `whsec_${'A'.repeat(43)}=`;

/** Enables a webhook whose target had answered 410. */
export async function enableWebhook({ params, request, caller }: AdminCall<'enableWebhook'>, shell: Shell): Promise<Answer> {
  const webhook = await found(shell, params.id, caller);
  const { state } = await carryOut(shell, request.id, { type: 'enable', webhook: webhook.id });
  return { status: 200, body: webhookView(state?.webhooks.find(({ id }) => id === webhook.id) ?? webhook) };
}

/** Signs with a new secret from now on. Only this answer contains it. */
export async function rotateWebhook({ params, request, caller }: AdminCall<'rotateWebhook'>, shell: Shell): Promise<Answer> {
  const webhook = await found(shell, params.id, caller);
  const secret = await newSecret(shell, webhook.id, request.id);
  await carryOut(shell, request.id, { type: 'rotated', webhook: webhook.id });
  return { status: 200, body: { secret, webhook: webhookView(webhook) } };
}

/** Sends one event of the type `webhook.test`, which no decision concluded and which is not stored. */
export async function testWebhook({ params, request, caller }: AdminCall<'testWebhook'>, shell: Shell): Promise<Answer> {
  const webhook = await found(shell, params.id, caller);
  const startedAt = shell.now();
  const subject = `webhook/${webhook.id}`;
  const event = {
    specversion: '1.0',
    id: `${subject}#${request.id}`,
    source: `muster/${shell.settings.deployment}`,
    type: 'webhook.test',
    subject,
    time: new Date(startedAt).toISOString(),
    dataschema: 'muster:webhook.test:1',
    datacontenttype: 'application/json',
    eventseq: 0,
    data: { webhook: webhook.id },
  };
  const {
    status: answered,
    because,
    delivered = false,
  } = outcomeOf(await post(webhook, { id: event.id, body: JSON.stringify(event) }, shell));
  const ms = shell.now() - startedAt;
  return { status: 200, body: { delivered, because, ms, ...(answered !== undefined && { answered }) } };
}

/** Deliveries, the newest event first. */
export async function listDeliveries({ params, query, caller }: AdminCall<'listDeliveries'>, shell: Shell): Promise<Answer> {
  const webhook = await found(shell, params.id, caller);
  const { cursor, limit, status } = query;
  const signature = `deliveries of ${webhook.id} ${status ?? ''}`;
  const after = await positionOf(shell, cursor, signature);
  const page = await shell.table.query({ pk: deliveriesOf(webhook.id), limit, descending: true, ...(after !== undefined && { after }) });
  const now = shell.now();
  const items = page.items.flatMap((row) => {
    const delivery = stateOf<Delivery>(row, now);
    return delivery && (status === undefined || delivery.status === status) ? [deliveryView(delivery)] : [];
  });
  return { status: 200, body: { items, ...(page.next !== undefined && { next: await cursorAt(shell, page.next, signature) }) } };
}

/**
 * Begins deliveries anew: of the events since a moment that the webhook was sent, or of all events of a subject from a
 * number on.
 */
export async function replayDeliveries({ params, body, request, caller }: AdminCall<'replayDeliveries'>, shell: Shell): Promise<Answer> {
  const webhook = await found(shell, params.id, caller);
  await carryOut(shell, request.id, { type: 'replay', webhook: webhook.id });
  const { events, next } = body.subject === undefined ? await sentSince(shell, webhook, body) : await concluded(shell, webhook, body);
  for (const event of events) await begin(shell, webhook.id, visibleTo(webhook, event), request.id, true);
  return { status: 200, body: { replayed: events.length, ...(next !== undefined && { next }) } };
}

type Replaying = AdminCall<'replayDeliveries'>['body'];
type Some = { readonly events: readonly Envelope[]; readonly next?: string | undefined };

async function sentSince(shell: Shell, webhook: Webhook, { since, status, after }: Replaying): Promise<Some> {
  const from = placeAt(Date.parse(since!));
  const page = await shell.table.query({ pk: deliveriesOf(webhook.id), from, limit: replayedMax, ...(after !== undefined && { after }) });
  const now = shell.now();
  const deliveries = trustedRows(deliveryRef, page.items).flatMap((row) => stateOf(row, now) ?? []);
  return { events: deliveries.filter((one) => status === undefined || one.status === status).map(({ event }) => event), next: page.next };
}

async function concluded(shell: Shell, webhook: Webhook, { subject, fromNumber, after }: Replaying): Promise<Some> {
  const [noun, id] = subject!.split('/') as [string, string];
  const from = historySort(fromNumber!);
  const page = await shell.table.query({
    pk: historyPartition({ noun, id }),
    from,
    limit: replayedMax,
    ...(after !== undefined && { after }),
  });
  const all = page.items.flatMap((row) => {
    const { at, by: _input, because, who, ...event } = row.body as HistoryEntry;
    const actor = who === undefined ? {} : { actor: { who } };
    const conclusions = { key: keyOf({ noun, id }), at: at as Delivery['since'], because, ...actor, events: [event] };
    return envelopesOf({ row: conclusions }, shell.settings.deployment) as unknown as Envelope[];
  });
  const zones = await Promise.all(all.map((event) => (webhook.zones === 'all' ? undefined : zoneOfEvent(shell, event))));
  return { events: all.filter((event, i) => wants(webhook, event, zones[i])), next: page.next };
}

async function found(shell: Shell, id: string, caller: AdminCaller): Promise<Webhook> {
  const webhook = (await readWebhooks(shell)).find((one) => one.id === id);
  if (!webhook || !sees(caller, webhook)) throw new Refusal('unknown-webhook', `no webhook has the id ${id}`);
  return webhook;
}

/**
 * Stores a new secret, and gives it. The audit does not attribute this row to the caller, because attributed rows go
 * into the feed whole. The row of the webhooks names the caller.
 */
async function newSecret({ actor: _caller, ...shell }: Shell, webhook: string, by: string): Promise<string> {
  const secret = mintWebhookSecret(shell.randomBytes);
  await apply(shell, secretRef(webhook), { type: 'rotate', id: by, secret }, decideSecret);
  return secret;
}

async function carryOut(shell: Shell, id: string, command: WebhooksCommand) {
  const applied = await apply(shell, webhooksRef, { ...command, id }, decideWebhooks);
  forgetWebhooks(shell);
  return applied;
}

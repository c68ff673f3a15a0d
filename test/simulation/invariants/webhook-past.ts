import { createHmac } from 'node:crypto';
import type { EpochMs } from '../../../lib/core/time.ts';
import { ownerOf } from '../../../lib/ports/table/keys.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import type { Webhook, WebhookSecret, Webhooks } from '../../../lib/webhooks/webhook.ts';
import type { Arrived, Committed } from '../watching.ts';
import { skewMs } from './rows.ts';

/** Something as it was from a moment on, until the next of its kind. */
type From<T> = { readonly from: EpochMs; readonly is: T };

/** A webhook, whether it stood and by which secrets it signed, from its first moment to its last. */
export type WebhookPast = {
  readonly asks: Webhook;
  readonly stands: From<'enabled' | 'disabled' | 'removed'>[];
  readonly secrets: From<WebhookSecret | undefined>[];
};

/** What something was at any moment since then. */
export const since = <T>(past: readonly From<T>[], from: number): readonly T[] =>
  past.filter((_, n) => (past[n + 1]?.from ?? Number.POSITIVE_INFINITY) >= from).map(({ is }) => is);

/** How long may lie between the reading of a secret and the moment that is signed, in ms: no function lives longer. */
const readBeforeMs = 30_000;
/** How far off the moment in a delivery may be, in ms: whoever receives refuses more. */
const signedAgoMaxMs = 5 * 60_000;

/** The webhooks of a world as their rows were committed. */
export class WebhookTruth {
  readonly all = new Map<string, WebhookPast>();
  readonly #secrets = new Map<string, WebhookPast['secrets']>();
  readonly #zones = new Map<string, From<string | undefined>[]>();

  /** Takes the rows of a commit; gives the webhooks that stand otherwise since then. */
  take(changes: readonly Committed[]): readonly WebhookPast[] {
    return changes.flatMap(({ at, after }) => {
      const { noun, id } = ownerOf(after.key);
      if (noun === 'webhook' && after.key.sk === 'secret')
        push(this.#secrets, id, { from: at, is: after.gone ? undefined : (after.body as WebhookSecret) });
      if (noun === 'client' && after.key.sk === 'client') push(this.#zones, id, { from: at, is: zoneIn(after) });
      return after.key.pk === 'deployment' && after.key.sk === 'webhooks' ? this.#takeAll(after.body as Webhooks, at) : [];
    });
  }

  #takeAll({ webhooks }: Webhooks, at: EpochMs): WebhookPast[] {
    for (const asks of webhooks) {
      const secrets = this.#secrets.get(asks.id) ?? [];
      if (!this.all.has(asks.id)) this.all.set(asks.id, { asks, stands: [], secrets });
    }
    const now = new Map(webhooks.map(({ id, disabled }) => [id as string, disabled ? ('disabled' as const) : ('enabled' as const)]));
    return [...this.all].flatMap(([id, past]) => {
      const is = now.get(id) ?? 'removed';
      if (past.stands.at(-1)?.is === is) return [];
      past.stands.push({ from: at, is });
      return [past];
    });
  }

  /** The webhook that something was sent for: one of its URL, by one of whose secrets it is signed. */
  signerOf({ url, headers, body }: Arrived): WebhookPast | undefined {
    const ofUrl = [...this.all.values()].filter(({ asks }) => asks.url === url);
    return ofUrl.find(({ secrets }) =>
      secrets.some(({ is }) => is && [is.current, ...(is.before ? [is.before.secret] : [])].some((one) => isSigned(one, headers, body))),
    );
  }

  /**
   * The zones that an event is about, since it was concluded: what it says itself, or wherever its client system has
   * been.
   */
  zonesOf(event: { readonly subject: string; readonly data: object }, from: number): readonly (string | undefined)[] {
    const said = (event.data as { readonly zone?: unknown }).zone;
    if (typeof said === 'string') return [said];
    const [noun, id] = event.subject.split('/') as [string, string];
    return noun === 'client' ? since(this.#zones.get(id) ?? [], from) : [undefined];
  }
}

/**
 * What is wrong with how a delivery is signed: by a secret that has signed all the while it does not, or for another
 * moment.
 */
export function wrongSigned({ secrets }: WebhookPast, { at, headers, body }: Arrived): string | undefined {
  const signedAt = 1000 * Number(headers['webhook-timestamp']);
  if (!(Math.abs(at - signedAt) < signedAgoMaxMs)) return `signed for ${headers['webhook-timestamp']}`;
  const held = since(secrets, signedAt - readBeforeMs);
  const signs = (is: WebhookSecret | undefined, secret: string): boolean =>
    is?.current === secret || (is?.before?.secret === secret && is.before.until > at + skewMs);
  const always = secrets.flatMap(({ is }) => is?.current ?? []).filter((secret) => held.every((is) => signs(is, secret)));
  return always.every((secret) => isSigned(secret, headers, body)) ? undefined : 'not signed by a secret that signs';
}

/** As the Standard Webhooks specification has whoever receives compute it. */
function isSigned(secret: string, headers: Arrived['headers'], body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`, 'utf8').digest('base64');
  return signatures.split(' ').includes(`v1,${expected}`);
}

function zoneIn({ gone, body }: Row): string | undefined {
  return gone ? undefined : (body as { readonly zone?: string }).zone;
}

function push<T>(all: Map<string, T[]>, id: string, one: T): void {
  const known = all.get(id);
  if (known) known.push(one);
  else all.set(id, [one]);
}

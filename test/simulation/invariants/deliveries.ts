import { isAtLeast } from '../../../events/severity.ts';
import { dayMs, type EpochMs, secondMs } from '../../../lib/core/time.ts';
import type { Arrived } from '../watching.ts';
import type { Invariant } from './invariant.ts';
import { expectedOf } from './nodes/published.ts';
import { skewMs } from './rows.ts';
import { type WebhookPast, WebhookTruth, wrongSigned } from './webhook-past.ts';

/** An event as it was concluded, by the world's clock. */
export type Concluded = { readonly at: EpochMs; readonly event: ReturnType<typeof expectedOf>[number] };

/** How soon after it is added or enabled a webhook is sent every event, in ms. */
const soonMs = 5 * secondMs + skewMs;

/** Whether a webhook asks for an event, wherever that is. */
export const isAsked = (
  { asks: { types, severity } }: WebhookPast,
  { type, data }: { readonly type: string; readonly data: object },
): boolean => (!types || (types as readonly string[]).includes(type)) && (!severity || isAtLeast(type, severity, data));

/** Whoever automates by a webhook has nothing else to hear of events by. */
export const deliveries: Invariant = {
  name: 'every-event-reaches-its-webhook',
  says: 'every event that a webhook asks for, concluded while it stood and since five seconds, is taken by its target in the end, unless the webhook is disabled or removed before, or a day goes by; under the id and with the content that it was committed with, but for the other keys that say a machine id or a name, which one of some zones is not told; signed by every secret that signs then',
  begin: ({ kernel, violated }) => {
    const truth = new WebhookTruth();
    const concluded = new Map<string, Concluded>();
    const awaited = new Map<WebhookPast, Map<string, Concluded>>();
    const expect = (one: Concluded): void => {
      for (const past of truth.all.values()) {
        const last = past.stands.at(-1)!;
        if (last.is === 'enabled' && one.at > last.from + soonMs && isAsked(past, one.event)) awaited.get(past)!.set(one.event.id, one);
      }
    };
    return {
      committed: (changes) => {
        for (const past of truth.take(changes)) awaited.set(past, new Map());
        for (const { at, after } of changes)
          for (const event of after.events.length > 0 ? expectedOf(after) : []) {
            concluded.set(event.id, { at, event });
            expect({ at, event });
          }
      },
      arrived: (delivery) => {
        const past = truth.signerOf(delivery);
        const wrong = past ? (wrongSigned(past, delivery) ?? wrongIn(past, delivery, concluded)) : 'signed by none of its secrets';
        if (wrong) violated(`${delivery.url} is sent ${delivery.headers['webhook-id']}, ${wrong}`);
        if (past && delivery.isTaken) awaited.get(past)?.delete(delivery.headers['webhook-id']!);
      },
      unrest: () =>
        [...awaited].flatMap(([{ asks }, events]) =>
          [...events.values()].flatMap(({ at, event }) => {
            const isThere =
              asks.zones === 'all' || truth.zonesOf(event, at).every((zone) => (asks.zones as readonly unknown[]).includes(zone));
            return isThere && kernel.now - at < dayMs ? [`webhook ${asks.id} has not taken ${event.id}, ${event.type}`] : [];
          }),
        ),
    };
  },
};

/** What is wrong with what is sent, besides its signature. What somebody tries a webhook by was never concluded. */
function wrongIn({ asks }: WebhookPast, { headers, body }: Arrived, concluded: ReadonlyMap<string, Concluded>): string | undefined {
  const { id, type, subject, time, eventseq, data } = JSON.parse(body) as Concluded['event'];
  if (id !== headers['webhook-id']) return `which is ${id}`;
  if (type === 'webhook.test') return undefined;
  const known = concluded.get(id)?.event;
  const due = known && { ...known, data: asks.zones === 'all' ? known.data : ofItsZones(known) };
  const isSame = due !== undefined && ordered({ id, type, subject, time, eventseq, data }) === ordered(due);
  return isSame ? undefined : `which was concluded as\n  ${known && ordered(known)}\nand comes as\n  ${body}`;
}

/** What an event says to a webhook of some zones: the other keys that say a machine id or a name may be of any. */
const ofItsZones = ({ type, data }: Concluded['event']): object =>
  type === 'client.duplicated' || type === 'client.name-shared' ? { ...data, others: [] } : data;

/** As JSON, with the names of every object in the order of the alphabet. */
const ordered = (value: unknown): string =>
  JSON.stringify(value, (_name, one: unknown) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );

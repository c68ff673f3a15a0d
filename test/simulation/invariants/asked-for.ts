import { wiring } from '../../../infra/wiring.ts';
import { secondMs } from '../../../lib/core/time.ts';
import type { Arrived } from '../watching.ts';
import { isAsked } from './deliveries.ts';
import type { Invariant } from './invariant.ts';
import { expectedOf } from './nodes/published.ts';
import { skewMs } from './rows.ts';
import { since, type WebhookPast, WebhookTruth } from './webhook-past.ts';

/**
 * For how long what was known of a webhook is still acted upon, in ms: five seconds in a cache, a function's time, and
 * a second on the way.
 */
const underWayMs =
  (5 + Math.max(wiring.functions['webhooks']!.timeoutSeconds, wiring.functions['admin']!.timeoutSeconds) + 1) * secondMs + skewMs;

/** What a deployment does is nobody's business but of whom it is told to. */
export const askedFor: Invariant = {
  name: 'nobody-is-sent-what-he-did-not-ask-for',
  says: 'a webhook is sent no event of a type, a severity or a zone that it does not ask for, and none once it is disabled or removed, but for what was under way',
  begin: ({ kernel, violated }) => {
    const truth = new WebhookTruth();
    const concludedAt = new Map<string, number>();
    const wrongIn = (past: WebhookPast, { body }: Arrived): string | undefined => {
      const event = JSON.parse(body) as ReturnType<typeof expectedOf>[number];
      const isTest = event.type === 'webhook.test';
      const stood = since(past.stands, kernel.now - underWayMs).some((is) => is === 'enabled' || (isTest && is === 'disabled'));
      if (!stood) return `and is ${past.stands.at(-1)!.is}`;
      if (isTest) return event.subject === `webhook/${past.asks.id}` ? undefined : `which tries ${event.subject}`;
      const { zones } = past.asks;
      const about = zones === 'all' ? [] : truth.zonesOf(event, concludedAt.get(event.id) ?? 0);
      if (zones !== 'all' && !about.some((zone) => (zones as readonly unknown[]).includes(zone))) return `which is of ${about.join(', ')}`;
      return isAsked(past, event) ? undefined : `and asks for ${past.asks.types?.join(', ') ?? past.asks.severity}`;
    };
    return {
      committed: (changes) => {
        truth.take(changes);
        for (const { at, after } of changes) for (const { id } of after.events.length > 0 ? expectedOf(after) : []) concludedAt.set(id, at);
      },
      arrived: (delivery) => {
        const past = truth.signerOf(delivery);
        const wrong = past && wrongIn(past, delivery);
        if (wrong) violated(`webhook ${past!.asks.id} is sent ${delivery.headers['webhook-id']}, ${wrong}`);
      },
    };
  },
};

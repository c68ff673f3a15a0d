import { ZoneName } from '../core/ids.ts';
import { WebhookId } from '../webhooks/webhook.ts';
import { at, type Examples } from './example.ts';

const webhook = {
  id: WebhookId.parse('5r3n8v2x7k1c'),
  url: 'https://hooks.acme.org/muster',
  status: 'enabled' as const,
  severity: 'alarm' as const,
  zones: [ZoneName.parse('emea')],
  createdAt: at,
  createdBy: 'admin:ops@acme.org',
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const delivery = {
  place: '01777636800000.node%2Fn0123456789abcdef%237',
  event: 'node/n0123456789abcdef#7',
  type: 'node.lost',
  at,
  status: 'pending' as const,
  attempts: 3,
  triedAt: at,
  answered: 503,
  because: 'answered 503',
  nextAt: '2026-05-01T12:00:40Z',
};

/** An example of the body and the answer of each route about webhooks. */
export const webhookExamples = {
  addWebhook: {
    body: { url: webhook.url, severity: webhook.severity, zones: webhook.zones },
    reply: { secret, webhook },
  },
  listWebhooks: { reply: { items: [webhook] } },
  removeWebhook: { body: {}, reply: webhook },
  enableWebhook: { body: {}, reply: webhook },
  rotateWebhook: { body: {}, reply: { secret, webhook } },
  testWebhook: { body: {}, reply: { delivered: true, answered: 204, because: 'answered 204', ms: 84 } },
  listDeliveries: { reply: { items: [delivery] } },
  replayDeliveries: { body: { since: at, status: 'dead' }, reply: { replayed: 12 } },
} satisfies Partial<Examples>;

import { onQueue } from '../lib/runtime/on-queue.ts';
import { onWebhookMessage, webhookMessages } from '../lib/webhooks/handlers/deliver.ts';

/** Delivers events to webhooks. */
export default onQueue(webhookMessages, onWebhookMessage, 'webhooks');

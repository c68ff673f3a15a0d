import { onQueue } from '../lib/runtime/on-queue.ts';
import { onWebhookMessage, webhookMessages } from '../lib/webhooks/handlers/deliver.ts';

/** Events on their way to the targets that people named. */
export default onQueue(webhookMessages, onWebhookMessage, 'webhooks');

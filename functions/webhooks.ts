import { onWebhookMessage, webhookMessages } from '../lib/doors/webhooks.ts';
import { onQueue } from '../lib/runtime/on-queue.ts';

/** Events on their way to the targets that people named. */
export default onQueue(webhookMessages, onWebhookMessage, 'webhooks');

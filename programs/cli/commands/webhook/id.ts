import { WebhookView } from '../../../../lib/webhooks/routes.ts';
import { as } from '../../arguments.ts';

/** The id of a webhook. */
export const webhookId = as(WebhookView.shape.id, 'the id of a webhook: 12 lower-case letters and digits');
/** The help on the argument of every verb about one webhook. */
export const webhookIdHelp = 'its id, as `webhook list` shows it';

import { WebhookView } from '../../../../lib/webhooks/routes.ts';
import { as } from '../../arguments.ts';

/** The id of a webhook. */
export const webhookId = as(WebhookView.shape.id, 'the id of a webhook: 12 lower-case letters and digits');
/** What every verb about one webhook says of its argument. */
export const webhookIdHelp = 'its id, as `webhook list` shows it';

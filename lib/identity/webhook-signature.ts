import { createHmac } from 'node:crypto';

/**
 * What a secret of a webhook begins with, as the Standard Webhooks specification has it, so that its libraries take it
 * as it is.
 */
const prefix = 'whsec_';
const secretBytes = 32;

/** The text of a secret of a webhook: 256 bits in base64 behind `whsec_`. */
export const webhookSecretForm = /^whsec_[A-Za-z0-9+/]{43}=$/;

/** Makes a secret by which deliveries are signed; `random` gives so many unguessable bytes. */
export const mintWebhookSecret = (random: (bytes: number) => Uint8Array): string =>
  `${prefix}${Buffer.from(random(secretBytes)).toString('base64')}`;

/** What is signed: the id of the message, when it is sent in whole seconds, and its body. */
export type SignedDelivery = { readonly id: string; readonly timestampS: number; readonly body: string };

/**
 * The headers by which whoever knows one of the secrets can tell that a delivery is ours and new, as the Standard
 * Webhooks specification has them (https://github.com/standard-webhooks/standard-webhooks): HMAC-SHA256 over
 * `id.timestamp.body`, one signature a secret.
 */
export function webhookHeaders(secrets: readonly string[], { id, timestampS, body }: SignedDelivery): Record<string, string> {
  const signed = `${id}.${timestampS}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampS), 'webhook-signature': signatures.join(' ') };
}

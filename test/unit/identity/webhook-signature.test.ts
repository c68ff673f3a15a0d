import { webcrypto } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mintWebhookSecret, webhookHeaders, webhookSecretForm } from '../../../lib/identity/webhook-signature.ts';

/**
 * What a receiver does by the specification, with another implementation of HMAC than ours: any of the signatures may
 * be the one.
 */
async function verifies(secret: string, headers: Readonly<Record<string, string>>, body: string): Promise<boolean> {
  const raw = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const key = await webcrypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new TextEncoder().encode(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  const signatures = headers['webhook-signature']!.split(' ').map((one) => one.split(',') as [string, string]);
  const known = signatures.filter(([version]) => version === 'v1');
  const results = known.map(([, text]) => webcrypto.subtle.verify('HMAC', key, Buffer.from(text, 'base64'), signed));
  return (await Promise.all(results)).includes(true);
}

const secretOf = (n: number): string => mintWebhookSecret((bytes) => new Uint8Array(bytes).fill(n));

describe('the signature of a delivery', () => {
  it('is that of the published example', () => {
    const example = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestampS: 1_614_265_330, body: '{"test": 2432232314}' };
    expect(webhookHeaders(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], example)).toEqual({
      'webhook-id': example.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('is verified by whoever has one of the secrets, and by nobody else; nothing that was signed can be changed', async () => {
    const nonEmpty = fc.string({ minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(nonEmpty, fc.string({ unit: 'grapheme' }), fc.nat(4e9), async (id, body, timestampS) => {
        const headers = webhookHeaders([secretOf(1), secretOf(2)], { id, timestampS, body });
        expect(await verifies(secretOf(1), headers, body)).toBe(true);
        expect(await verifies(secretOf(2), headers, body)).toBe(true);
        expect(await verifies(secretOf(3), headers, body)).toBe(false);
        expect(await verifies(secretOf(1), headers, `${body} `)).toBe(false);
        expect(await verifies(secretOf(1), { ...headers, 'webhook-timestamp': String(timestampS + 1) }, body)).toBe(false);
        expect(await verifies(secretOf(1), { ...headers, 'webhook-id': `${id}x` }, body)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('is by a secret of 256 bits in the form that receivers know', () => {
    expect(secretOf(7)).toMatch(webhookSecretForm);
    expect(Buffer.from(secretOf(7).slice(6), 'base64')).toHaveLength(32);
  });
});

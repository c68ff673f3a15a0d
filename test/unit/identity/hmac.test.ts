import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hmacSha256 } from '../../../lib/identity/hmac.ts';

const nodes = (secret: Uint8Array, message: Uint8Array): Buffer => createHmac('sha256', secret).update(message).digest();

describe('the message code of a token', () => {
  it("is node's own HMAC-SHA256, for keys and messages of any length", () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, bytes, (secret, message) => {
        expect(hmacSha256(secret, message)).toEqual(nodes(secret, message));
      }),
      { seed: 2104 },
    );
  });

  it.each([0, 31, 32, 63, 64, 65, 128])('is the same for a key of %i bytes, around the length of a block', (length) => {
    const secret = new Uint8Array(length).fill(0xab);
    const message = new Uint8Array(38).fill(0x5c);

    expect(hmacSha256(secret, message)).toEqual(nodes(secret, message));
  });

  it('leaves the key and the message as they were', () => {
    const secret = new Uint8Array(32).fill(1);
    const message = new Uint8Array(38).fill(2);

    hmacSha256(secret, message);

    expect([secret, message]).toEqual([new Uint8Array(32).fill(1), new Uint8Array(38).fill(2)]);
  });
});

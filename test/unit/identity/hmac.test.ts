import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PreparedHmac } from '../../../lib/identity/hmac.ts';

const nodes = (secret: Uint8Array, message: Uint8Array): Buffer => createHmac('sha256', secret).update(message).digest();
const ours = (secret: Uint8Array, message: Uint8Array, bytes = 32): Buffer => {
  const code = Buffer.alloc(bytes);
  new PreparedHmac(secret, message.length).write(message, code);
  return code;
};

describe('the message code of a token', () => {
  it("is node's own HMAC-SHA256, for keys and messages of any length", () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(
      fc.property(bytes, bytes, (secret, message) => {
        expect(ours(secret, message)).toEqual(nodes(secret, message));
      }),
      { seed: 2104 },
    );
  });

  it.each([0, 31, 32, 63, 64, 65, 128])('is the same for a key of %i bytes, around the length of a block', (length) => {
    const secret = new Uint8Array(length).fill(0xab);
    const message = new Uint8Array(38).fill(0x5c);

    expect(ours(secret, message)).toEqual(nodes(secret, message));
  });

  it('is that of each message, however many were asked for before, of what those begin with, and cut to what it is written to', () => {
    const secret = new Uint8Array(32).fill(7);
    const code = new PreparedHmac(secret, 38);
    const into = Buffer.alloc(16);
    for (const byte of [1, 2, 1, 255]) {
      const message = new Uint8Array(54).fill(byte);
      code.write(message, into);
      expect(into).toEqual(nodes(secret, message.subarray(0, 38)).subarray(0, 16));
    }
  });

  it('leaves the key and the message as they were', () => {
    const secret = new Uint8Array(32).fill(1);
    const message = new Uint8Array(38).fill(2);

    ours(secret, message);

    expect([secret, message]).toEqual([new Uint8Array(32).fill(1), new Uint8Array(38).fill(2)]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mintToken, noIndex, readToken, type Token, tokenKeyId } from '../../../lib/identity/token.ts';
import { aToken } from '../../../tools/support/builders.ts';
import { changed } from '../../support/changed.ts';

const key = { id: 1, secret: new Uint8Array(32).fill(7) };
const uint = (bits: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: 2 ** bits - 1 });
const tokens: fc.Arbitrary<Token> = fc.record({
  fp: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  zone: uint(32),
  index: uint(16),
  generation: uint(16),
  pin: uint(16),
  mapVersion: uint(32),
  epoch: uint(16),
  issuedAtS: uint(32),
  confirmed: fc.boolean(),
  covered: fc.boolean(),
  soft: fc.boolean(),
});

describe('a token', () => {
  it('says what it was minted with, whatever that is, in 72 characters', () => {
    fc.assert(
      fc.property(tokens, (token) => {
        const text = mintToken(token, key);

        expect(text).toMatch(/^[A-Za-z0-9_-]{72}$/);
        expect(readToken(text, key)).toEqual(token);
        expect(tokenKeyId(text)).toBe(1);
      }),
      { seed: 17 },
    );
  });

  it('with any of its bits flipped is none', () => {
    const bytes = Buffer.from(mintToken(aToken(), key), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const forged = Buffer.from(bytes);
      forged[bit >> 3]! ^= 1 << (bit & 7);
      expect(readToken(forged.toString('base64url'), key), `bit ${bit}`).toBeUndefined();
    }
  });

  it('of another key is none, nor one that claims another key', () => {
    const text = mintToken(aToken(), key);

    expect(readToken(text, { id: 1, secret: new Uint8Array(32).fill(8) })).toBeUndefined();
    expect(readToken(text, { id: 2, secret: key.secret })).toBeUndefined();
    expect(tokenKeyId(mintToken(aToken(), { ...key, id: 9 }))).toBe(9);
  });

  it('is no text that is shorter, longer, or not written as tokens are', () => {
    const text = mintToken(aToken({ index: noIndex }), key);

    for (const wrong of ['', text.slice(1), `${text}A`, `${text.slice(0, 71)}!`, `${text.slice(0, 71)}=`, ' '.repeat(72)]) {
      expect(readToken(wrong, key)).toBeUndefined();
      if (wrong.length !== 72) expect(tokenKeyId(wrong)).toBeUndefined();
    }
  });

  it('with any bit of its text flipped is none', () => {
    const text = Buffer.from(mintToken(aToken(), key), 'latin1');
    for (let bit = 0; bit < text.length * 8; bit++) {
      const forged = Buffer.from(text);
      forged[bit >> 3]! ^= 1 << (bit & 7);
      expect(readToken(forged.toString('latin1'), key), `bit ${bit}`).toBeUndefined();
    }
  });

  it('in which anything is changed is none, nor one that is put together from two', () => {
    const texts = tokens.map((token) => mintToken(token, key));
    fc.assert(
      fc.property(texts.chain(changed), (text) => {
        expect(readToken(text, key)).toBeUndefined();
      }),
      { seed: 17, numRuns: 5_000 },
    );
    fc.assert(
      fc.property(texts, texts, fc.integer({ min: 1, max: 71 }), (one, other, cut) => {
        const joined = one.slice(0, cut) + other.slice(cut);
        fc.pre(joined !== one && joined !== other);

        expect(readToken(joined, key)).toBeUndefined();
      }),
      { seed: 17, numRuns: 2_000 },
    );
  });

  it('in the letters of plain base64 is none', () => {
    const text = mintToken(aToken({ fp: 'f'.repeat(32) }), key);

    expect(text).toMatch(/^_+/);
    expect(readToken(text.replaceAll('_', '/'), key)).toBeUndefined();
    expect(readToken(text.replaceAll('-', '+').replace('_', '/'), key)).toBeUndefined();
  });
});

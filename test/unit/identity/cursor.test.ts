import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cursorKeyId, mintCursor, readCursor } from '../../../lib/identity/cursor.ts';
import { changed } from '../../support/changed.ts';

const key = { id: 3, secret: new Uint8Array(32).fill(7) };
const query = 'systems {"status":"new"}';

describe('a cursor', () => {
  it('is a position in the results of one query, and of no other', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string(), (position, other) => {
        const text = mintCursor(position, query, key);

        expect(readCursor(text, query, key)).toBe(Buffer.from(position, 'utf8').toString('utf8'));
        if (other !== query) expect(readCursor(text, other, key)).toBeUndefined();
        expect(cursorKeyId(text)).toBe(3);
      }),
      { seed: 23 },
    );
  });

  it('with any of its bits flipped is none', () => {
    const bytes = Buffer.from(mintCursor('12/abcdef', query, key), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const forged = Buffer.from(bytes);
      forged[bit >> 3]! ^= 1 << (bit & 7);
      expect(readCursor(forged.toString('base64url'), query, key), `bit ${bit}`).toBeUndefined();
    }
  });

  it('in which anything is changed is none, whatever it says', () => {
    fc.assert(
      fc.property(
        fc
          .string({ minLength: 1 })
          .map((at) => mintCursor(at, query, key))
          .chain(changed),
        (text) => {
          expect(readCursor(text, query, key)).toBeUndefined();
        },
      ),
      { seed: 23, numRuns: 5_000 },
    );
  });

  it('does not show its position to who holds it, nor what two positions have in common', () => {
    const [one, other] = ['zone-of-others-1', 'zone-of-others-2'].map((name) => Buffer.from(mintCursor(name, query, key), 'base64url')) as [
      Buffer,
      Buffer,
    ];
    expect(one.toString('latin1')).not.toContain('zone');
    expect(one.subarray(13, 27)).not.toEqual(other.subarray(13, 27));
    expect(mintCursor('zone-of-others-1', query, key)).toBe(one.toString('base64url'));
  });

  it('of another key, or cut short, is none', () => {
    const text = mintCursor('1', query, key);

    expect(readCursor(text, query, { id: 3, secret: new Uint8Array(32).fill(8) })).toBeUndefined();
    expect(readCursor(text, query, { id: 4, secret: key.secret })).toBeUndefined();
    for (const wrong of ['', 'AAAA', text.slice(0, -2), 'not a cursor', mintCursor('', query, key)])
      expect(readCursor(wrong, query, key)).toBeUndefined();
    for (const wrong of ['', 'AAAA', 'not a cursor', `${text}=`]) expect(cursorKeyId(wrong)).toBeUndefined();
  });
});

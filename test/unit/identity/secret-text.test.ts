import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecret, mintSecret, parseSecret, type SecretPrefix, secretHash, secretIdForm } from '../../../lib/identity/secret-text.ts';

const prefixes: readonly SecretPrefix[] = ['mjt', 'mot', 'mak', 'msl', 'mst'];
const aPrefix = fc.constantFrom(...prefixes);
/** Bytes from a seed, as a shell gives them. */
const someBytes = fc.uint8Array({ minLength: 44, maxLength: 44 }).map((bytes) => {
  let at = 0;
  return (n: number): Uint8Array => {
    at += n;
    return bytes.slice(at - n, at);
  };
});

describe('the text of a secret', () => {
  it('gives back its parts for its own purpose, and for no other', () => {
    fc.assert(
      fc.property(aPrefix, aPrefix, someBytes, (prefix, other, random) => {
        const { text, id, secret, hash } = mintSecret(prefix, random);

        expect(parseSecret(text, prefix)).toEqual({ id, secret });
        if (other !== prefix) expect(parseSecret(text, other)).toBe('no-secret');
        expect(id).toMatch(secretIdForm);
        expect(isSecret(secret, hash)).toBe(true);
        expect(text).not.toContain(hash);
      }),
      { seed: 31 },
    );
  });

  it('with one letter changed is no secret: a typo in the right place is told as one', () => {
    fc.assert(
      fc.property(someBytes, fc.nat({ max: 66 }), fc.constantFrom(...'aZ09_-'), (random, at, letter) => {
        const { text } = mintSecret('mak', random);
        const typed = text.slice(0, at) + letter + text.slice(at + 1);

        if (typed !== text) expect(['no-secret', 'mistyped']).toContain(parseSecret(typed, 'mak'));
      }),
      { seed: 32, numRuns: 500 },
    );
    const { text } = mintSecret('mak', (n) => new Uint8Array(n).fill(9));
    expect(parseSecret(text.replace('JCQk', 'JCQl'), 'mak')).toBe('mistyped');
    for (const wrong of ['', 'mak', text.slice(0, -1), `${text}a`, ` ${text}`, `${text}\n`, text.toUpperCase()])
      expect(parseSecret(wrong, 'mak'), wrong).toBe('no-secret');
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), aPrefix, (text, prefix) => {
        expect(parseSecret(text, prefix)).toBe('no-secret');
      }),
      { seed: 33 },
    );
  });
});

describe('what is kept of a secret', () => {
  it('tells it from every other', () => {
    fc.assert(
      fc.property(someBytes, someBytes, (one, another) => {
        const [a, b] = [mintSecret('mst', one), mintSecret('mst', another)];

        expect(isSecret(a.secret, b.hash)).toBe(a.secret === b.secret);
      }),
      { seed: 34 },
    );
  });

  it('is SHA-256 in hex, and a hash of another length fits nothing', () => {
    expect(secretHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    for (const wrong of ['', 'ba78', `${secretHash('abc')}00`, 'not hex']) expect(isSecret('abc', wrong)).toBe(false);
  });
});

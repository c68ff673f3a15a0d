import { describe, expect, it } from 'vitest';
import { type DigestRow, decideDigest, digestShows, receivedAfter } from '../../../../lib/nodes/digests/digest.ts';
import { at } from '../../../../tools/support/builders.ts';
import { aBeat } from '../reports.ts';

const bitsOf = (...bytes: number[]): Uint8Array => new Uint8Array(bytes);
const beat = (listVersion: number, bytes: readonly number[], seconds: number) =>
  aBeat({ receivedAt: at(seconds), digest: { listVersion, bits: Buffer.from(bytes).toString('base64') } });
/** The row after these heartbeats, one a minute. */
const rowAfter = (...beats: [listVersion: number, ...bytes: number[]][]): DigestRow | undefined =>
  beats.reduce<DigestRow | undefined>((row, [version, ...bytes], n) => {
    const decision = decideDigest(row, beat(version, bytes, 60 * n));
    return decision.does === 'write' ? decision.next : row;
  }, undefined);

describe('the digest of a node', () => {
  it('is one bit for each client of a list version, lowest bit first', () => {
    const row = rowAfter([1, 0b0000_0101, 0b1000_0000]);

    expect(row).toEqual({ listVersion: 1, bits: bitsOf(0b101, 0b1000_0000), at: at(0) });
    expect(Array.from({ length: 24 }, (_, n) => n).filter((n) => digestShows(row, 1, n))).toEqual([0, 2, 15]);
  });

  it('speaks of its list version alone', () => {
    expect(digestShows(rowAfter([2, 0xff]), 1, 0)).toBe(false);
    expect(digestShows(undefined, 1, 0)).toBe(false);
  });

  it('may miss a client once: who is missing in two of them is not covered', () => {
    expect(digestShows(rowAfter([1, 1], [1, 0]), 1, 0)).toBe(true);
    expect(digestShows(rowAfter([1, 1], [1, 0], [1, 0]), 1, 0)).toBe(false);
  });

  it('of a newer list leaves the one before it readable in its own', () => {
    const row = rowAfter([1, 1], [2, 0, 1]);

    expect([digestShows(row, 1, 0), digestShows(row, 2, 0), digestShows(row, 2, 8)]).toEqual([true, false, true]);
  });

  it('that shows the same clients as the two before it costs nothing', () => {
    const row = rowAfter([1, 3]);
    expect(decideDigest(row, beat(1, [3], 60)).does).toBe('nothing');

    const changed = rowAfter([1, 1], [1, 3]);
    expect(decideDigest(changed, beat(1, [3], 120))).toMatchObject({ does: 'write', next: { before: { bits: bitsOf(3) } } });
  });

  it('that shows the same clients is written again once the one on record is five minutes old', () => {
    const row = rowAfter([1, 3])!;

    expect(decideDigest(row, beat(1, [3], 299)).does).toBe('nothing');
    expect(decideDigest(row, beat(1, [3], 300))).toMatchObject({ does: 'write', next: { at: at(300), before: { at: at(0) } } });
  });

  it('counts for a client only from when that was told its node, and so does the one before it', () => {
    const row = rowAfter([1, 1], [1, 0])!;

    expect(receivedAfter(row, at(-1))).toEqual(row);
    expect(receivedAfter(row, at(0))).toEqual({ listVersion: 1, bits: bitsOf(0), at: at(60) });
    expect(receivedAfter(row, at(60))).toBeUndefined();
  });

  it('received before the one on record, or not there at all, changes nothing', () => {
    expect(decideDigest(rowAfter([1, 1]), beat(1, [2], -1)).does).toBe('nothing');
    expect(decideDigest(rowAfter([1, 1]), beat(1, [2], 0)).does).toBe('nothing');
    expect(decideDigest(undefined, aBeat()).does).toBe('nothing');
  });

  it('of more than 16 KiB is a mistake', () => {
    expect(decideDigest(undefined, beat(1, Array(16 * 1024).fill(1), 0)).does).toBe('write');
    expect(decideDigest(undefined, beat(1, Array(16 * 1024 + 1).fill(1), 0)).does).toBe('nothing');
  });
});

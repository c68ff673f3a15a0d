import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { difference } from '../../../../lib/clients/systems/rows/list.ts';
import { digestShows } from '../../../../lib/nodes/digests/digest.ts';
import { slotOf } from '../../../../lib/zones/map/rows/slots.ts';
import { digestBits, mergedList, releasedBy, seenIn, unlisted } from '../../../../programs/agent/systems.ts';

const fp = fc.stringMatching(/^[0-9a-f]{64}$/);
const fps = fc.uniqueArray(fp, { maxLength: 40 }).map((list) => list.sort());
const named = (first: string): string => first.padEnd(64, '0');

describe('the digest', () => {
  it('has one bit an entry, lowest bit first', () => {
    const list = ['a', 'b', 'c', 'd', 'e', 'f', '1', '2', '3'].map(named).sort();
    const seen = new Set([list[0]!, list[3]!, list[8]!]);
    expect(Buffer.from(digestBits(list, seen), 'base64')).toEqual(Buffer.from([0b0000_1001, 0b0000_0001]));
  });

  it('shows Muster exactly whom the node sees', () => {
    fc.assert(
      fc.property(fps, fps, fc.infiniteStream(fc.boolean()), (list, others, coin) => {
        const seen = new Set([...list.filter(() => coin.next().value), ...others]);
        const row = { listVersion: 4, bits: Buffer.from(digestBits(list, seen), 'base64') };
        expect(list.map((_, i) => digestShows(row as never, 4, i))).toEqual(list.map((one) => seen.has(one)));
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  it('is empty for an empty list', () => {
    expect(digestBits([], new Set([named('a')]))).toBe('');
  });
});

describe('the list', () => {
  it('is what Muster has after any row of changes that Muster tells', () => {
    fc.assert(
      fc.property(fps, fps, (before, now) => {
        const { added, gone } = difference(
          before.map((one) => one.slice(0, 16)),
          now,
        );
        expect(mergedList(before, { whole: false, systems: added, gone })).toEqual(now);
        expect(mergedList(before, { whole: true, systems: now, gone: [] })).toEqual(now);
      }),
      { seed: 12, numRuns: 300 },
    );
  });

  it('is too old when somebody is seen who is not on it', () => {
    expect(unlisted([named('a')], new Set([named('a')]))).toEqual([]);
    expect(unlisted([named('a')], new Set([named('c'), named('a'), named('b')]))).toEqual([named('b'), named('c')]);
  });
});

describe('release', () => {
  it('is for those whose slot is in an order, counted by the slots of its own zone map', () => {
    fc.assert(
      fc.property(fps, fc.array(fc.nat({ max: 1023 })), fc.array(fc.nat({ max: 2047 })), (systems, few, many) => {
        const orders = [
          { mapVersion: 1, zoneSlots: 1024, slots: few },
          { mapVersion: 2, zoneSlots: 2048, slots: many },
        ];
        const expected = systems.filter((one) => few.includes(slotOf(one, 1024)) || many.includes(slotOf(one, 2048)));
        expect(releasedBy(orders, [...systems, ...systems])).toEqual(expected);
      }),
      { seed: 13, numRuns: 300 },
    );
  });

  it('finds the one in slot 1023 of 1024', () => {
    const order = { mapVersion: 1, zoneSlots: 1024, slots: [1023] };
    expect(releasedBy([order], [named('ffc'), named('ffb')])).toEqual([named('ffc')]);
  });
});

describe('a file of those seen', () => {
  it('is read with colons, in either case, with comments and blank lines', () => {
    const text = `# minions\n\n${'AB:'.repeat(31)}CD\r\n  ${named('a')}\nno fingerprint\n`;
    expect(seenIn(text)).toEqual(new Set([`${'ab'.repeat(31)}cd`, named('a')]));
  });
});

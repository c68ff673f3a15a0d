import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bears, type Failures, type Missing } from '../../../../lib/mero/clusters/tolerance.ts';

const none: Failures = { site: 0, rack: 0, encl: 0, ctrl: 0, disk: 0 };
const may = (...given: readonly Partial<Failures>[]): Failures[] => given.map((one) => ({ ...none, ...one }));

/** Missing devices as `site rack enclosure host`, a digit each; the same again is another device of the host. */
const missing = (...said: readonly string[]): Missing[] =>
  said.map((path) => {
    const [site, rack, encl] = [1, 2, 3].map((length) => path.slice(0, length)) as [string, string, string];
    return { host: path, place: { site, rack, encl } };
  });

describe('what is missing of a pool', () => {
  test.each([
    { says: 'nothing at all', is: missing(), allowed: may({}), bears: true },
    { says: 'a device', is: missing('0000'), allowed: may({}), bears: false },
    { says: 'a device, which may fail', is: missing('0000'), allowed: may({ disk: 1 }), bears: true },
    { says: 'two devices of a host, which may fail', is: missing('0000', '0000'), allowed: may({ ctrl: 1 }), bears: true },
    { says: 'devices of two hosts in an enclosure', is: missing('0000', '0001'), allowed: may({ ctrl: 1 }), bears: false },
    { says: 'the same where an enclosure may fail', is: missing('0000', '0001'), allowed: may({ encl: 1 }), bears: true },
    { says: 'hosts of two enclosures in a rack', is: missing('0000', '0010'), allowed: may({ encl: 1 }), bears: false },
    { says: 'the same where a rack may fail', is: missing('0000', '0010'), allowed: may({ rack: 1 }), bears: true },
    { says: 'hosts of two racks in a site that may fail', is: missing('0000', '0100'), allowed: may({ site: 1 }), bears: true },
    { says: 'a host and a device elsewhere', is: missing('0000', '0000', '0100'), allowed: may({ ctrl: 1, disk: 1 }), bears: true },
    { says: 'either, and not both', is: missing('0000', '0000', '0100'), allowed: may({ ctrl: 1 }, { disk: 1 }), bears: false },
    {
      says: 'a rack whose hosts are many, and a host elsewhere that has more devices',
      is: missing('0000', '0001', '0010', '0100', '0100', '0100', '0100'),
      allowed: may({ rack: 1, ctrl: 1 }),
      bears: true,
    },
    { says: 'a host that stands nowhere', is: [{ host: 'new', place: undefined }], allowed: may({ ctrl: 1 }), bears: true },
    {
      says: 'two hosts that stand nowhere, which are in no rack together',
      is: ['a', 'b'].map((host) => ({ host, place: undefined })),
      allowed: may({ rack: 1 }),
      bears: false,
    },
  ])('$says', ({ is, allowed, bears: expected }) => {
    expect(bears(allowed, is)).toBe(expected);
  });

  test('is borne when it can be seen as allowed failures in one way or another, and only then', () => {
    const devices = fc.array(fc.stringMatching(/^[01]{4}$/), { maxLength: 7 });
    const allowed = fc.record({ site: fc.nat(1), rack: fc.nat(2), encl: fc.nat(2), ctrl: fc.nat(2), disk: fc.nat(2) });
    fc.assert(
      fc.property(devices, allowed, (said, one) => {
        expect(bears([one], missing(...said))).toBe(isCovered(said, one));
      }),
      { numRuns: 400 },
    );
  });

  test('that is much is looked at in no time, also where very much may fail', () => {
    const many = Array.from({ length: 2_000 }, (_, n) => ({
      host: `h${n}`,
      place: { site: `${n % 5}`, rack: `${n % 50}`, encl: `${n % 500}` },
    }));
    expect(bears(may({ site: 3, rack: 49, encl: 499, ctrl: 1_999, disk: 10 }), many)).toBe(false);
    expect(bears(may({ ctrl: 1 }), many)).toBe(false);
    expect(bears(may({ disk: 2_000 }), many)).toBe(true);
  });
});

/**
 * The same by trying: the first device that nothing covers yet is put down to each domain that it is in, and to itself.
 */
function isCovered([first, ...rest]: readonly string[], left: Failures): boolean {
  if (first === undefined) return true;
  const domains = ['site', 'rack', 'encl', 'ctrl'] as const;
  const byDomain = domains.some((domain, depth) => {
    if (left[domain] === 0) return false;
    const prefix = first.slice(0, depth + 1);
    return isCovered(
      rest.filter((path) => !path.startsWith(prefix)),
      { ...left, [domain]: left[domain] - 1 },
    );
  });
  return byDomain || (left.disk > 0 && isCovered(rest, { ...left, disk: left.disk - 1 }));
}

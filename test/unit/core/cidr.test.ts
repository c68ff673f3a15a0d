import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAddress } from '../../../lib/core/address.ts';
import { Cidr, isInside, readNetwork } from '../../../lib/core/cidr.ts';

const lies = (address: string, network: string): boolean => isInside(readNetwork(network)!, address);

describe('a network', () => {
  it.each([
    ['10.0.0.0/8', ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3', '::ffff:a01:203'], ['11.0.0.0', '9.255.255.255', '::10.0.0.1']],
    ['192.0.2.7/32', ['192.0.2.7'], ['192.0.2.6', '192.0.2.8']],
    ['10.1.2.3/8', ['10.200.0.1'], ['11.1.2.3']],
    ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255'], ['2001:db8::1', '::1']],
    ['2001:db8::/32', ['2001:db8::1', '2001:DB8:ffff::'], ['2001:db9::', '10.0.0.1']],
    ['::/0', ['::', '10.0.0.1', 'ffff::'], []],
    ['::1/128', ['::1', '0:0:0:0:0:0:0:1'], ['::2', '127.0.0.1']],
    ['::ffff:10.0.0.0/104', ['10.9.9.9'], ['11.0.0.0']],
  ])('%s has in it what belongs there', (network, inside, outside) => {
    expect(inside.filter((address) => !lies(address, network))).toEqual([]);
    expect(outside.filter((address) => lies(address, network))).toEqual([]);
  });

  it.each([
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0/8',
    '010.0.0.0/8',
    '256.0.0.0/8',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '::/129',
    ':::/8',
    '1::2::3/8',
    'fe80::1%eth0/64',
    '1:2:3:4:5:6:7/64',
    '1:2:3:4:5:6:7:8:9/64',
    '::1.2.3/96',
    'acme.org/8',
    '10.0.0.0/08x',
  ])('is not read from %j', (text) => {
    expect(readNetwork(text)).toBeUndefined();
    expect(Cidr.safeParse(text).success).toBe(false);
  });

  it('has no address in it that is none', () => {
    for (const text of ['', 'unknown', '10.0.0', '10.0.0.1.', 'fe80::1%eth0']) expect(lies(text, '::/0'), text).toBe(false);
  });
});

describe('whatever address is asked', () => {
  const family = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4');

  it('it is read if and only if it is one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[0-9a-f:.]{0,24}$/)), (text) => {
        expect(readAddress(text) !== undefined, text).toBe(isIP(text) !== 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('it is in the networks that the block list of node:net has it in', () => {
    const of = (address: fc.Arbitrary<string>, most: number) => fc.tuple(address, fc.integer({ min: 0, max: most }), address);
    fc.assert(
      fc.property(fc.oneof(of(fc.ipV4(), 32), of(fc.ipV6(), 128)), ([first, bits, address]) => {
        const oracle = new BlockList();
        oracle.addSubnet(first, bits, family(first));
        expect(lies(address, `${first}/${bits}`)).toBe(oracle.check(address, family(address)));
        expect(lies(first, `${first}/${bits}`)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

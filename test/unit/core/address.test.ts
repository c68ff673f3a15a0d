import { describe, expect, it } from 'vitest';
import { networkOf } from '../../../lib/core/address.ts';

describe('the network of an address', () => {
  it.each([
    { address: '192.0.2.77', network: '192.0.2.0/24' },
    { address: '255.255.255.255', network: '255.255.255.0/24' },
    { address: '::ffff:192.0.2.77', network: '192.0.2.0/24' },
    { address: '2001:db8:1:2::3', network: '2001:db8:1::/48' },
    { address: '2001:0db8:0001:ffff:ffff:ffff:ffff:ffff', network: '2001:db8:1::/48' },
    { address: '::1', network: '0:0:0::/48' },
    { address: 'unix', network: 'no known network' },
    { address: '', network: 'no known network' },
  ])('of $address is $network', ({ address, network }) => {
    expect(networkOf(address)).toBe(network);
  });
});

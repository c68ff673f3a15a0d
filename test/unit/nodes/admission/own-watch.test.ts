import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fqdn } from '../../../../lib/core/ids.ts';
import { isForeignWatch, isOwnWatch } from '../../../../lib/nodes/admission/rows/own-watch.ts';

const named = (fqdn: string) => (watch: string, source: string) => isOwnWatch({ fqdn: Fqdn.parse(fqdn), watch, source });
const own = named('node1.acme.org');

describe('a watch address', () => {
  it.each([
    ['the name', 'node1.acme.org:4505', '10.1.2.3'],
    ['the name in capitals', 'NODE1.Acme.org:4505', '10.1.2.3'],
    ['the name with the dot of the root', 'node1.acme.org.:22', '10.1.2.3'],
    ['the address that it calls from', '10.1.2.3:4505', '10.1.2.3'],
    ['that address, as IPv6 has it', '10.1.2.3:4505', '::ffff:10.1.2.3'],
    ['that address, as IPv6 has it in hex', '10.1.2.3:4505', '::FFFF:a01:203'],
    ['another address of loopback, from this machine', '127.0.0.2:4505', '127.0.0.1'],
    ['loopback, from this machine by IPv6', '127.0.0.1:4505', '::1'],
    ['localhost, from this machine', 'localhost:4505', '127.0.0.1'],
  ])('is the host’s own at %s', (_what, watch, source) => {
    expect(own(watch, source)).toBe(true);
  });

  it.each([
    ['another name', 'node2.acme.org:4505', '10.1.2.3'],
    ['a name within it', 'inside.node1.acme.org:4505', '10.1.2.3'],
    ['the name with two dots behind it', 'node1.acme.org..:4505', '10.1.2.3'],
    ['another address', '10.1.2.4:4505', '10.1.2.3'],
    ['a metadata service', '169.254.169.254:80', '10.1.2.3'],
    ['loopback, from elsewhere', '127.0.0.1:4505', '10.1.2.3'],
    ['localhost, from elsewhere', 'localhost:4505', '10.1.2.3'],
    ['an address, from this machine', '10.1.2.3:4505', '127.0.0.1'],
    ['its address in fewer numbers', '10.66051:4505', '10.1.2.3'],
    ['its address in hex', '0x0a010203:4505', '10.1.2.3'],
    ['an address, from nobody knows where', '10.1.2.3:4505', 'unknown'],
  ])('is not the host’s own at %s', (_what, watch, source) => {
    expect(own(watch, source)).toBe(false);
  });

  it('is not the host’s own under a name that resolvers take for an address', () => {
    expect(named('10.0.0.0x5')('10.0.0.0x5:22', '192.0.2.7')).toBe(false);
    expect(named('a.0x')('a.0x:22', '192.0.2.7')).toBe(false);
  });

  it('is judged for a host that waits once its address is known', () => {
    const host = { fqdn: Fqdn.parse('node1.acme.org'), watch: '10.9.9.9:22' };
    expect(isForeignWatch({ ...host, source: '10.1.2.3' })).toBe(true);
    expect(isForeignWatch({ ...host, source: 'unknown' })).toBe(false);
  });

  it('that is an address is the host’s own from that address, and from no other outside loopback', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 1, max: 65_535 }), (at, from, port) => {
        const isOwn = at === from || (at.startsWith('127.') && from.startsWith('127.'));
        expect(own(`${at}:${port}`, from)).toBe(isOwn);
        expect(own(`${at}:${port}`, `::ffff:${from}`)).toBe(isOwn);
      }),
    );
  });
});

import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindOf, readTarget, refusalOf } from '../../../../lib/ports/outbound/target.ts';

const [closed, open] = [{ loopback: false }, { loopback: true }];

describe('an address that nothing is sent to', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0.0.0.0', 'this network'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['::ffff:192.168.0.1', 'private'],
    ['fd00:ec2::254', 'private'],
    ['100.64.0.1', 'shared by carriers'],
    ['100.127.255.255', 'shared by carriers'],
    ['169.254.169.254', 'link-local, with cloud metadata'],
    ['::ffff:169.254.169.254', 'link-local, with cloud metadata'],
    ['fe80::1', 'link-local'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['198.19.0.1', 'benchmarks'],
    ['::', 'not handed out'],
    ['::127.0.0.1', 'not handed out'],
    ['64:ff9b::a00:1', 'not handed out'],
    ['2002:a00:1::', 'a tunnel to an IPv4 address'],
    ['2001:0:a00:1::', 'reserved'],
    ['ff02::1', 'not handed out'],
    ['2001:db8::1', 'documentation'],
    ['fe80::1%eth0', 'no address'],
    ['localhost', 'no address'],
  ])('%s is %s', (address, kind) => {
    expect(kindOf(address)).toBe(kind);
    expect(refusalOf({ protocol: 'https:' }, ['1.1.1.1', address], closed)).toBe(`${address} is not public: ${kind}`);
  });

  it('is told from public ones as another implementation tells them', () => {
    const special = new BlockList();
    for (const [network, bits] of [
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['192.168.0.0', 16],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 3],
    ] as const)
      special.addSubnet(network, bits, 'ipv4');
    // Near the edges of networks, where a wrong bit shows.
    const first = fc.oneof(fc.constantFrom(9, 10, 11, 99, 100, 101, 126, 127, 128, 169, 172, 192, 198, 203, 223, 224), fc.nat(255));
    const second = fc.oneof(fc.constantFrom(0, 15, 16, 17, 18, 19, 31, 32, 51, 63, 64, 88, 127, 128, 168, 254), fc.nat(255));
    fc.assert(
      fc.property(first, second, fc.oneof(fc.constantFrom(0, 1, 2, 99, 100, 113, 114), fc.nat(255)), fc.nat(255), (a, b, c, d) => {
        const address = `${a}.${b}.${c}.${d}`;
        const hex = `::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const isPublic = !special.check(address, 'ipv4');
        expect([address, kindOf(address) === 'public']).toEqual([address, isPublic]);
        expect(kindOf(`::ffff:${address}`)).toBe(kindOf(address));
        expect(kindOf(hex)).toBe(kindOf(address));
      }),
      { numRuns: 2_000 },
    );
  });

  it('of IPv6 is any that is not handed out to the public', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const isGlobal = /^[23][0-9a-f]{3}:/i.test(address);
        if (!isGlobal && !/ffff:/i.test(address)) expect(kindOf(address)).not.toBe('public');
      }),
    );
    for (const address of ['2606:4700::1111', '2a00:1450:4001:81b::200e', '3ffe::1']) expect(kindOf(address)).toBe('public');
  });
});

describe('a URL as a target', () => {
  it.each([
    ['http://hooks.acme.org/', 'it is not an https address'],
    ['ftp://hooks.acme.org/', 'it is not an https address'],
    ['file:///etc/passwd', 'it is not an https address'],
    ['no url', 'it is not a URL'],
    ['https://me:secret@hooks.acme.org/', 'it has a user name or password: remove it, deliveries are signed instead'],
    ['https://hooks.acme.org/#part', 'it has a fragment, which is never sent'],
    ['https://127.0.0.1/', '127.0.0.1 is not public: loopback'],
    // One address, written as others read it.
    ['https://2130706433/', '127.0.0.1 is not public: loopback'],
    ['https://0x7f.1/', '127.0.0.1 is not public: loopback'],
    ['https://0177.0.0.1/', '127.0.0.1 is not public: loopback'],
    ['https://[::1]/', '::1 is not public: loopback'],
    ['https://[::ffff:10.0.0.1]/', '::ffff:a00:1 is not public: private'],
    ['https://169.254.169.254/latest/meta-data/', '169.254.169.254 is not public: link-local, with cloud metadata'],
    [`https://hooks.acme.org/${'x'.repeat(2_000)}`, 'the URL has more than 2000 characters'],
  ])('%s is none', (url, because) => expect(readTarget(url, closed)).toBe(because));

  it('is https with a name or a public address', () => {
    expect(readTarget('https://hooks.acme.org:8443/muster?a=b', closed)).toMatchObject({ url: expect.any(URL) });
    expect(readTarget('https://1.1.1.1/', closed)).toMatchObject({ address: '1.1.1.1' });
  });

  it('may be loopback where that is allowed, over http too, and nothing else that is private', () => {
    expect(readTarget('http://127.0.0.1:8080/', open)).toMatchObject({ address: '127.0.0.1' });
    expect(readTarget('http://[::1]:8080/', open)).toMatchObject({ address: '::1' });
    expect(readTarget('https://10.0.0.1/', open)).toBe('10.0.0.1 is not public: private');
    expect(readTarget('http://1.1.1.1/', open)).toBe('http is only for loopback: use https');
    expect(refusalOf({ protocol: 'http:' }, ['127.0.0.1', '1.1.1.1'], open)).toBe('http is only for loopback: use https');
    expect(refusalOf({ protocol: 'https:' }, [], open)).toBe('its name has no address');
  });
});

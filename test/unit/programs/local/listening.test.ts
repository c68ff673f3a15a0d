import { chmodSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../../../../lib/api/problem.ts';
import { MusterError } from '../../../../lib/core/errors.ts';
import { EmbeddedEnv } from '../../../../lib/runtime/env.ts';
import { callersOf } from '../../../../programs/local/callers.ts';
import { type Listening, listeningFrom, onLoopback } from '../../../../programs/local/listening.ts';
import { optionsIn } from '../../../../programs/local/options.ts';
import { aCertificate, canMakeCertificates, type TestCertificate } from '../../../support/certificate.ts';

const from = (settings: Readonly<Record<string, string>>): Listening => listeningFrom(EmbeddedEnv.parse(settings));
const why = (settings: Readonly<Record<string, string>>): string => {
  try {
    from(settings);
  } catch (error) {
    if (error instanceof MusterError && error.code === 'listen.refused') return error.message;
    throw error;
  }
  return 'listens';
};

describe('where a host listens', () => {
  it('is loopback, unless somebody says otherwise', () => {
    expect(from({})).toEqual(onLoopback);
    expect(from({ MUSTER_BIND: '::1' })).toEqual({ bind: '::1', names: [] });
  });

  it.each([
    ['0.0.0.0'],
    ['::'],
    ['10.1.2.3'],
    ['2001:db8::1'],
    // An address of IPv4 in the clothes of IPv6, and one that is only loopback to the eye.
    ['::ffff:10.0.0.1'],
    ['128.0.0.1'],
  ])('is not beyond this machine without TLS: %s', (bind) => {
    expect(why({ MUSTER_BIND: bind })).toContain(`on ${bind} tokens and sign-ins would travel in the clear`);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a name', { MUSTER_BIND: 'localhost' }, 'MUSTER_BIND is localhost, which is no network address'],
    ['a certificate without its key', { MUSTER_TLS_CERT: '/c.pem' }, 'MUSTER_TLS_CERT and MUSTER_TLS_KEY go together'],
    ['a file that is not there', { MUSTER_TLS_CERT: '/nowhere/c.pem', MUSTER_TLS_KEY: '/nowhere/k.pem' }, '/nowhere/c.pem cannot be read'],
    ['a proxy without names', { MUSTER_BIND: '0.0.0.0', MUSTER_TRUST_PROXY: 'loopback' }, 'MUSTER_TRUST_PROXY needs MUSTER_NAMES'],
    ['everybody as a proxy', { MUSTER_TRUST_PROXY: '0.0.0.0/0', MUSTER_NAMES: 'a.test' }, 'names 0.0.0.0/0, which is no network'],
    ['a proxy by name', { MUSTER_TRUST_PROXY: 'proxy.test', MUSTER_NAMES: 'a.test' }, 'names proxy.test, which is no network'],
    ['half a network', { MUSTER_TRUST_PROXY: '10.0.0.0/33', MUSTER_NAMES: 'a.test' }, 'names 10.0.0.0/33, which is no network'],
  ])('is refused with its reason: %s', (_what, settings, reason) => {
    expect(why(settings)).toContain(reason);
  });

  it('may be said in options, each in the place of its variable', () => {
    expect(optionsIn(['--bind', '::1', '--names=a.test', '--port', '0'])).toEqual({
      MUSTER_BIND: '::1',
      MUSTER_NAMES: 'a.test',
      MUSTER_PORT: '0',
    });
    for (const args of [['--color', 'red'], ['--bind'], ['more']]) expect(() => optionsIn(args), args[0]).toThrow(/the options are --bind/);
  });
});

describe.skipIf(!canMakeCertificates)('a certificate (needs openssl)', () => {
  let one: TestCertificate;
  let other: TestCertificate;
  beforeAll(() => {
    one = aCertificate(['DNS:muster.acme.org', 'DNS:*.eu.acme.org', 'IP:10.1.2.3']);
    other = aCertificate(['DNS:other.acme.org']);
  });
  afterAll(() => {
    one.remove();
    other.remove();
  });

  it('opens every address, and says under which names', () => {
    const { bind, tls, names } = from({ MUSTER_BIND: '0.0.0.0', MUSTER_TLS_CERT: one.cert, MUSTER_TLS_KEY: one.key });

    expect([bind, tls?.cert, names]).toEqual(['0.0.0.0', one.pem, ['muster.acme.org', '*.eu.acme.org', '10.1.2.3']]);
  });

  it('is refused with the key of another, with no key at all, or with one that everybody may read', () => {
    expect(why({ MUSTER_TLS_CERT: one.cert, MUSTER_TLS_KEY: other.key })).toContain('is not the one of the certificate');
    expect(why({ MUSTER_TLS_CERT: one.cert, MUSTER_TLS_KEY: one.cert })).toContain('read by other users');
    chmodSync(one.cert, 0o600);
    expect(why({ MUSTER_TLS_CERT: one.cert, MUSTER_TLS_KEY: one.cert })).toContain('are not a certificate and a key in PEM');
    chmodSync(one.key, 0o604);
    expect(why({ MUSTER_TLS_CERT: one.cert, MUSTER_TLS_KEY: one.key })).toContain(`chmod 600 ${one.key}`);
    chmodSync(one.key, 0o600);
  });
});

/** Who a call is from, or why it is not taken. */
function judged(listening: Listening, remoteAddress: string, headers: Readonly<Record<string, string>>): string {
  try {
    return callersOf(listening)({ headers, socket: { remoteAddress } } as unknown as IncomingMessage);
  } catch (error) {
    if (error instanceof Refusal) return error.type;
    throw error;
  }
}

describe('a call', () => {
  it('is taken under names of loopback alone while the host is bound there', () => {
    for (const host of ['127.0.0.1:8080', 'localhost', '[::1]:8080', '127.1.2.3'])
      expect(judged(onLoopback, '127.0.0.1', { host }), host).toBe('127.0.0.1');
    for (const host of ['muster.acme.org', '10.1.2.3', 'localhost.evil.test', '127.0.0.1.evil.test', '', 'a@localhost'])
      expect(judged(onLoopback, '127.0.0.1', { host }), host).toBe('misdirected');
    expect(judged(onLoopback, '127.0.0.1', {})).toBe('misdirected');
  });

  it('is taken under the names of the certificate where there is one, whoever calls', () => {
    const tls = { bind: '0.0.0.0', tls: { cert: '', key: '' }, names: ['muster.acme.org', '*.eu.acme.org', '10.1.2.3', '2001:db8::1'] };

    for (const host of ['muster.acme.org', 'MUSTER.acme.org:443', 'a.eu.acme.org', '10.1.2.3:8080', '[2001:db8::1]:8080'])
      expect(judged(tls, '::ffff:192.0.2.7', { host }), host).toBe('192.0.2.7');
    for (const host of ['eu.acme.org', 'a.b.eu.acme.org', 'evil.test', 'muster.acme.org.evil.test'])
      expect(judged(tls, '192.0.2.7', { host }), host).toBe('misdirected');
    // Nobody stands in front of this host, so what such headers say is anybody's invention.
    expect(judged(tls, '192.0.2.7', { host: 'muster.acme.org', 'x-forwarded-for': '203.0.113.9' })).toBe('192.0.2.7');
  });

  it('of a page is taken from this host’s own pages alone', () => {
    const tls = { bind: '0.0.0.0', tls: { cert: '', key: '' }, names: ['muster.acme.org'] };
    const of = (origin: string) => judged(tls, '192.0.2.7', { host: 'muster.acme.org', origin });

    expect(of('https://muster.acme.org')).toBe('192.0.2.7');
    for (const origin of [
      'https://evil.test',
      'null',
      '',
      'https://muster.acme.org.evil.test',
      'muster.acme.org',
      'file://muster.acme.org',
    ])
      expect(of(origin), origin).toBe('cross-site');
  });

  describe('through a proxy', () => {
    const behind = from({ MUSTER_BIND: '0.0.0.0', MUSTER_TRUST_PROXY: '10.0.0.0/24, 2001:db8::/32', MUSTER_NAMES: 'muster.acme.org' });
    const host = 'muster.acme.org';
    const https = { host, 'x-forwarded-proto': 'https' };

    it('is of the last address that the proxy names; what stands before it is whatever the caller wrote', () => {
      for (const forwarded of ['203.0.113.9', '198.51.100.1, 203.0.113.9', ',203.0.113.9 ', '::ffff:203.0.113.9'])
        expect(judged(behind, '10.0.0.5', { ...https, 'x-forwarded-for': forwarded }), forwarded).toBe('203.0.113.9');
      expect(judged(behind, '2001:db8::5', { ...https, 'x-forwarded-for': '2001:db8:1::2' })).toBe('2001:db8:1::2');
    });

    it('is refused unless it came by https, and by somebody', () => {
      for (const headers of [{ host }, { host, 'x-forwarded-proto': 'http' }, { host, 'x-forwarded-proto': 'https, http' }])
        expect(judged(behind, '10.0.0.5', { ...headers, 'x-forwarded-for': '203.0.113.9' })).toBe('misdirected');
      for (const forwarded of ['', 'unknown', '203.0.113.9,', '203.0.113.9:1234', '_hidden'])
        expect(judged(behind, '10.0.0.5', { ...https, 'x-forwarded-for': forwarded }), forwarded).toBe('misdirected');
      expect(judged(behind, '10.0.0.5', https)).toBe('misdirected');
    });

    it('is believed of nobody else, and nobody else gets past the proxy', () => {
      for (const peer of ['10.0.1.5', '192.0.2.7', '::1', '127.0.0.1'])
        expect(judged(behind, peer, { ...https, 'x-forwarded-for': '203.0.113.9' }), peer).toBe('misdirected');
      expect(judged(behind, '192.0.2.7', { host })).toBe('misdirected');
      expect(judged(behind, '192.0.2.7', { host: 'localhost' })).toBe('misdirected');
    });

    it('or from this machine itself, under a name of loopback', () => {
      expect(judged(behind, '127.0.0.1', { host: '127.0.0.1:8080' })).toBe('127.0.0.1');
      expect(judged(behind, '127.0.0.1', { host })).toBe('misdirected');
    });
  });
});

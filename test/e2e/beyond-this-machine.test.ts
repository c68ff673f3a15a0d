import { mkdtempSync, rmSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedEnv } from '../../lib/runtime/env.ts';
import { exitCodes } from '../../programs/cli/exit-codes.ts';
import { listeningFrom } from '../../programs/local/listening.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { aCertificate, canMakeCertificates, type TestCertificate } from '../support/certificate.ts';
import { startProcess } from '../support/host-process.ts';
import { rawBytes, rawCall, refusalIn } from '../support/raw-call.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

let host: TestHost | undefined;
afterEach(async () => {
  await host?.stop();
  host = undefined;
});
const listening = (settings: Readonly<Record<string, string>>) => listeningFrom(EmbeddedEnv.parse(settings));
/** A call that asks nobody who they are. */
const open = `/system/status?fp=${'0'.repeat(64)}`;

describe.skipIf(!canMakeCertificates)('a host that ends TLS (needs openssl)', () => {
  let certificate: TestCertificate;
  beforeAll(() => {
    certificate = aCertificate(['DNS:localhost', 'DNS:muster.acme.org', 'IP:127.0.0.1']);
  });
  afterAll(() => certificate.remove());
  const overTls = async () => {
    host = await aHost({ listening: listening({ MUSTER_TLS_CERT: certificate.cert, MUSTER_TLS_KEY: certificate.key }) });
    return host;
  };
  const call = (options: RequestOptions = {}): Promise<{ status: number; headers: Readonly<Record<string, unknown>>; text: string }> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(host!.url);
      const sent = request(
        { host: '127.0.0.1', servername: 'localhost', port, path: open, ca: certificate.pem, ...options },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
        },
      );
      sent.once('error', reject);
      sent.end();
    });

  it('answers by https under the names of its certificate, and has browsers never come without again', async () => {
    const { url } = await overTls();

    const { status, headers } = await call({ headers: { host: 'muster.acme.org' } });

    expect([status, headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    expect(url).toMatch(/^https:\/\/localhost:\d+$/);
    expect(refusalIn(await call({ headers: { host: 'evil.test' } }))).toEqual([421, 'misdirected']);
    expect(refusalIn(await call({ headers: { host: 'localhost', origin: 'https://evil.test' } }))).toEqual([403, 'cross-site']);
  });

  it('is not taken by a command line that does not know its authority, which says what to do', async () => {
    const { url } = await overTls();

    const { code, err } = await ran(`status --endpoint ${url}`, { env: { MUSTER_TOKEN: 'mak_x' } });
    expect({ code, err }).toEqual({
      code: exitCodes.unreachable,
      err: expect.stringMatching(/_CERT\. This machine does not trust its certificate: set NODE_EXTRA_CA_CERTS /),
    });
  });

  it('talks nothing older than TLS 1.2, and nothing in the clear', async () => {
    const { url } = await overTls();

    for (const maxVersion of ['TLSv1', 'TLSv1.1'] as const)
      await expect(call({ minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' }), maxVersion).rejects.toThrow(
        /version|EPROTO|ECONNRESET/i,
      );
    expect((await call({ maxVersion: 'TLSv1.2' })).status).toBe(200);
    expect(await rawBytes(url, `GET ${open} HTTP/1.1\r\nhost: localhost\r\n\r\n`).catch(() => '')).not.toContain('200 OK');
  });
});

describe('a host behind a proxy on this machine', () => {
  const call = (headers: Readonly<Record<string, string>>) => rawCall(host!.url, { path: open, headers });

  it('answers what came by https, under its name, and what is asked on this machine', async () => {
    host = await aHost({ listening: listening({ MUSTER_TRUST_PROXY: 'loopback', MUSTER_NAMES: 'muster.acme.org' }) });
    const forwarded = { host: 'muster.acme.org', 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };

    const { status, headers } = await call(forwarded);

    expect([status, headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    expect((await call({})).status).toBe(200);
    expect(refusalIn(await call({ ...forwarded, 'x-forwarded-proto': 'http' }))).toEqual([421, 'misdirected']);
    expect(refusalIn(await call({ ...forwarded, host: 'evil.test' }))).toEqual([421, 'misdirected']);
    expect(refusalIn(await call({ host: 'muster.acme.org' }))).toEqual([421, 'misdirected']);
  });
});

describe('a host that is told to listen where everybody could listen in', () => {
  const home = mkdtempSync(join(tmpdir(), 'muster-'));
  afterAll(() => rmSync(home, { recursive: true }));

  it.each<[string, Record<string, string>, string[], RegExp]>([
    ['by a variable', { MUSTER_BIND: '0.0.0.0' }, [], /on 0\.0\.0\.0 tokens and sign-ins would travel in the clear: give MUSTER_TLS_CERT/],
    ['by an option', {}, ['--bind', '::'], /on :: tokens and sign-ins would travel in the clear/],
    ['by an option that there is not', {}, ['--host', '0.0.0.0'], /--host.*the options are --bind, --port, --tls-cert/],
  ])('says why it does not, and ends with 2: %s', async (_how, env, args, reason) => {
    const { code, complained } = await startProcess({ MUSTER_HOME: home, ...env }, 'programs/local/main.ts', args).ended;

    expect([code, complained.trim().split('\n')]).toEqual([2, [expect.stringMatching(reason)]]);
  });
});

describe('an answer', () => {
  it('is kept by nobody and taken for nothing else, a refusal too', async () => {
    host = await aHost();
    for (const path of [open, '/api/v1/nothing', '/nowhere', '/system/status'])
      expect((await rawCall(host.url, { path })).headers, path).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
    expect((await rawCall(host.url, { path: open })).headers).not.toHaveProperty('strict-transport-security');
  });

  it('may be kept where it has an ETag, and is asked for again by it', async () => {
    host = await aHost();
    expect((await rawCall(host.url, { path: '/api/v1/settings' })).headers).toMatchObject({
      etag: expect.any(String),
      'cache-control': 'private, no-cache',
    });
  });

  it('names its call, by a name of its own and the one that its problem has', async () => {
    host = await aHost();
    const ids = new Set<unknown>();
    const paths = [open, open, '/sign-in', '/api/v1/status', '/api/v1/nothing', '/nowhere', '/system/status', '/api/v1/events?a=1'];
    for (const path of paths) {
      const { status, headers, text } = await rawCall(host.url, {
        path,
        ...(path.endsWith('=1') && { headers: { authorization: 'none' } }),
      });
      const id = headers['x-request-id'];
      expect([path, id]).toEqual([path, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      if (status >= 400) expect([path, JSON.parse(text).instance]).toEqual([path, id]);
      ids.add(id);
    }
    expect(ids.size).toBe(paths.length);
  });

  it('has no body where HEAD asks for what GET has, and all else', async () => {
    host = await aHost();
    for (const path of [open, '/ui/', '/api/v1/settings', '/api/v1/zones']) {
      const [got, head] = [await rawCall(host.url, { path }), await rawCall(host.url, { path, method: 'HEAD' })];
      expect([path, head.status, head.text, head.headers['content-length']]).toEqual([path, 200, '', got.headers['content-length']]);
      expect([path, Object.keys(head.headers)]).toEqual([path, Object.keys(got.headers)]);
    }
    const stream = await rawCall(host.url, { path: '/api/v1/events', method: 'HEAD' });
    expect([stream.status, stream.headers['content-type'], stream.text]).toEqual([200, 'text/event-stream', '']);
    const refused = await rawCall(host.url, { path: '/api/v1/events', method: 'POST' });
    expect([refusalIn(refused), refused.headers['allow']]).toEqual([[405, 'wrong-method'], 'GET, HEAD']);
  });
});

describe('a call as no well-behaved client makes it', () => {
  const head = 'host: 127.0.0.1\r\n';
  const statuses = async (bytes: string): Promise<string[]> => (await rawBytes(host!.url, bytes)).match(/HTTP\/1\.1 \d+/g) ?? [];

  it('has its headers taken up to 10 KiB, and is told when they are more', async () => {
    host = await aHost();
    const withHeaders = (bytes: number) => statuses(`GET ${open} HTTP/1.1\r\n${head}connection: close\r\nx: ${'y'.repeat(bytes)}\r\n\r\n`);

    expect(await withHeaders(9_000)).toEqual(['HTTP/1.1 200']);
    expect(await withHeaders(10_300)).toEqual(['HTTP/1.1 431']);
  });

  it('is answered in its turn when it comes with others', async () => {
    host = await aHost();
    const one = `GET ${open} HTTP/1.1\r\n${head}\r\n`;
    const other = `GET /nowhere HTTP/1.1\r\n${head}\r\n`;

    expect(await statuses(`${one}${other}${one.replace(head, `${head}connection: close\r\n`)}`)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 404',
      'HTTP/1.1 200',
    ]);
  });

  it('is refused when its body is compressed, and read when it comes in chunks', async () => {
    host = await aHost();
    const call = { method: 'POST', path: '/system/knock', headers: { 'content-type': 'application/json' }, body: '{' };

    for (const encoding of ['gzip', 'br', 'identity, gzip', 'GZIP'])
      expect(refusalIn(await rawCall(host.url, { ...call, headers: { ...call.headers, 'content-encoding': encoding } })), encoding).toEqual(
        [415, 'content-encoding'],
      );
    expect(
      refusalIn(await rawCall(host.url, { ...call, chunked: true, headers: { ...call.headers, 'content-encoding': 'identity' } }))[0],
    ).not.toBe(415);
  });
});

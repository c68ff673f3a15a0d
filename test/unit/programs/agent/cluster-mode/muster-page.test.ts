import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import { pagePolicy } from '../../../../../lib/page/headers.ts';
import { cookieHere, cookiesOnward, musterPage } from '../../../../../programs/agent/uyuni/site/muster-page.ts';
import { startSite } from '../../../../../programs/agent/uyuni/site/site.ts';
import { after, answered, raw, served } from './served.ts';

const heard: { url: string | undefined; headers: Record<string, unknown> }[] = [];
const closing: (() => Promise<void>)[] = [];
let url: string;
let port: number;
let at = 0;
let muster: Awaited<ReturnType<typeof served>>;

beforeEach(async () => {
  heard.length = at = 0;
  muster = await served((request, response) => {
    heard.push({ url: request.url, headers: request.headers });
    const path = request.url ?? '';
    if (path.startsWith('/ui/') && !path.endsWith('.js'))
      response
        .writeHead(200, { 'content-type': 'text/html', etag: '"1"' })
        .end('<link href="/ui/a.css"><script src="/ui/a.js"></script> /ui/');
    else if (path === '/session')
      response
        .writeHead(201, { 'set-cookie': ['__Host-muster-session=x; Path=/; Secure', 'b=c; Path=/session'], location: '/ui/' })
        .end('{}');
    else if (path === '/api/v1/away') response.writeHead(302, { location: 'https://evil.test/', 'x-secret': 'y' }).end();
    else response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'public', etag: '"2"' }).end('"/ui/"');
  });
  const site = await startSite({
    port: 0,
    routes: [],
    passes: [musterPage(muster.url, 'https://muster.acme.test/ui/', () => at as EpochMs)],
    say: (line) => expect.unreachable(line),
    after,
  });
  closing.push(site.close, muster.close);
  port = site.port;
  url = `http://127.0.0.1:${port}`;
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const ofPage = { 'sec-fetch-site': 'same-origin' };

describe('Muster’s page on a server', () => {
  it('is its document, which names its files below /muster/, for every view', async () => {
    for (const path of ['/muster/ui/', '/muster/ui/nodes/node1.acme.test', '/muster/ui/sign-in?a=b']) {
      const { status, headers, body } = await answered(url + path, { headers: { accept: 'text/html', 'accept-encoding': 'br' } });
      expect([status, body]).toEqual([200, '<link href="/muster/ui/a.css"><script src="/muster/ui/a.js"></script> /ui/']);
      expect([headers.etag, headers['content-security-policy']]).toEqual([undefined, pagePolicy]);
    }
    expect(heard.map((one) => [one.url, one.headers['accept-encoding']])).toEqual([
      ['/ui/', 'identity'],
      ['/ui/nodes/node1.acme.test', 'identity'],
      ['/ui/sign-in?a=b', 'identity'],
    ]);
    expect(await answered(`${url}/muster/ui`)).toMatchObject({ status: 302, headers: { location: '/muster/ui/' } });
  });

  it('is its files as they are', async () => {
    const { body, headers } = await answered(`${url}/muster/ui/a.js`);
    expect([body, headers['cache-control'], headers.etag]).toEqual(['"/ui/"', 'public', '"2"']);
  });

  it('calls the API and the session, and nothing else', async () => {
    expect((await answered(`${url}/muster/api/v1/nodes?limit=5`, { headers: ofPage })).status).toBe(200);
    expect(heard.at(-1)?.url).toBe('/api/v1/nodes?limit=5');
    const elsewhere = [
      '/muster/nodes/x/heartbeat',
      '/muster/status',
      '/muster/api/v2/x',
      '/muster/session/callback',
      '/muster/sign-in',
      '/muster/ui/../nodes',
    ];
    for (const path of elsewhere) expect([path, (await answered(url + path, { headers: ofPage })).status]).toEqual([path, 404]);
    expect(heard).toHaveLength(1);
  });

  it('alone may call with its session: not another page, and no program with a key', async () => {
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await answered(`${url}/muster/api/v1/nodes`, { headers: { 'sec-fetch-site': site } })).status).toBe(403);
    expect((await answered(`${url}/muster/session`, { method: 'POST' })).status).toBe(403);
    for (const path of ['/muster/ui/../api/v1/nodes', '/muster/ui/%2e%2e/api/v1/nodes'])
      expect([path, (await raw(port, path)).slice(0, 12)]).toEqual([path, 'HTTP/1.1 403']);
    expect(heard).toEqual([]);
    const cookie = 'pxt-session-cookie=1x2; muster-session-8080=s; JSESSIONID=j';
    await answered(`${url}/muster/api/v1/nodes`, {
      headers: { ...ofPage, cookie, authorization: 'Bearer k', 'x-forwarded-for': '1.2.3.4' },
    });
    expect(heard[0]?.headers).toMatchObject({
      cookie: 'muster-session-8080=s',
      host: new URL(muster.url).host,
      'sec-fetch-site': 'same-origin',
    });
    expect(Object.keys(heard[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization', 'x-forwarded-for']));
  });

  it('has cookies for /muster/ alone, so that the server never gets them', async () => {
    const { headers } = await answered(`${url}/muster/session`, { method: 'POST', headers: ofPage });
    expect(headers['set-cookie']).toEqual(['__Secure-muster-session=x; Path=/muster/; Secure', 'b=c; Path=/muster/session']);
    expect(headers.location).toBe('/muster/ui/');
    expect(cookieHere('muster-renewal-80=r; Max-Age=1; Path=/session; HttpOnly')).toBe(
      'muster-renewal-80=r; Max-Age=1; Path=/muster/session; HttpOnly',
    );
    const back = '__Secure-muster-session=x; __Secure-muster-renewal=r; a__Secure-muster-session=y; muster-session=';
    expect(cookiesOnward(back, true)).toBe('__Host-muster-session=x; __Secure-muster-renewal=r; muster-session=');
    expect(cookiesOnward('muster-session-8080=x', false)).toBe('muster-session-8080=x');
    expect(cookiesOnward(undefined, true)).toBe('');
  });

  it('takes 500 calls at once and 50 a second, since Muster counts them for this host', async () => {
    const statuses = async (count: number) => {
      const all = await Promise.all(Array.from({ length: count }, () => answered(`${url}/muster/session/begin`, { headers: ofPage })));
      return all.map(({ status }) => status);
    };
    for (let n = 0; n < 10; n++) expect(new Set(await statuses(50))).toEqual(new Set([302]));
    expect(await statuses(1)).toEqual([503]);
    at += 40;
    expect(await statuses(3)).toEqual([302, 302, 503]);
    expect((await answered(`${url}/muster/session/begin`)).status).toBe(403);
  });

  it('leads nowhere that Muster does not serve, and to Muster itself for signing in at an issuer', async () => {
    const away = await answered(`${url}/muster/api/v1/away`, { headers: ofPage });
    expect([away.headers.location, away.headers['x-secret']]).toEqual([undefined, undefined]);
    const begun = await answered(`${url}/muster/session/begin?to=//evil.test`);
    expect([begun.status, begun.headers.location]).toEqual([403, undefined]);
    const own = await answered(`${url}/muster/session/begin?to=//evil.test`, { headers: ofPage });
    expect([own.status, own.headers.location]).toEqual([302, 'https://muster.acme.test/ui/']);
  });

  it('refuses bodies that are too long or have no length, and says that Muster is away', async () => {
    const post = (headers: Record<string, string>, parts: readonly string[]) =>
      answered(`${url}/muster/api/v1/x`, { method: 'POST', headers: { ...ofPage, ...headers }, parts });
    expect((await post({ 'content-length': String(2 ** 20 + 1) }, ['x'.repeat(2 ** 20 + 1)])).status).toBe(413);
    expect((await post({ 'transfer-encoding': 'chunked' }, ['x'])).status).toBe(411);
    await muster.close();
    expect((await post({ 'content-length': '1' }, ['x'])).status).toBe(502);
  });
});

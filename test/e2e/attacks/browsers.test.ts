import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { Browser, cookiesSet } from '../../support/a-browser.ts';
import { aKey } from '../../support/callers.ts';
import { rawBytes } from '../../support/raw-call.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
/** A browser in which the operator is signed in, and a link that nobody has used. */
let victim: Browser;
let cookie: string;
let secret: string;
let port: string;
beforeAll(async () => {
  host = await aStronghold();
  ({ port } = new URL(host.url));
});
afterAll(() => host.stop());
beforeEach(async () => {
  victim = await signedInBy(await linkSecret());
  cookie = victim.cookiesFor('/', 'same-origin');
  secret = await linkSecret();
  host.keepSecret(secret, cookie.split('=')[1]!);
  await host.settle();
});
afterEach(() => host.unharmed());

const linkSecret = async (): Promise<string> => (await host.signInLink()).split('#')[1]!;
async function signedInBy(link: string): Promise<Browser> {
  const browser = new Browser(host.url);
  expect((await browser.call('/session', { method: 'POST', body: { secret: link } })).status).toBe(201);
  expect((await browser.call('/api/v1/status')).status).toBe(200);
  return browser;
}
const isSignedIn = async (browser = victim): Promise<boolean> => 'session' in (JSON.parse((await browser.call('/session')).text) as object);

/** What a browser says of calls by pages that are not ours, and what a caller says that is none, or lies. */
const elsewhere = ['cross-site', 'same-site', 'none', '', 'Same-Origin', 'same-origin, cross-site', 'same-origin;', undefined];
/** A call that carries the victim's cookie, as a page elsewhere has the browser make it. */
const forged = (path: string, site: string | undefined, { method = 'GET', body }: { method?: string; body?: unknown } = {}) =>
  host.attack({
    path,
    method,
    ...(body !== undefined && { body }),
    headers: { authorization: '', cookie, ...(site !== undefined && { 'sec-fetch-site': site }) },
  });

describe('a page elsewhere, in the browser of somebody who is signed in', () => {
  it('attack 69: signs nobody in as somebody else: the link that it knows stays good, and the session what it was', async () => {
    for (const site of elsewhere)
      expect([site, ...told(await forged('/session', site, { method: 'POST', body: { secret } }))]).toEqual([site, 403, 'cross-site']);
    await host.unharmed();
    expect(await isSignedIn(await signedInBy(secret))).toBe(true);
    await host.settle();
  });

  it('attack 70: reads and changes nothing by the cookie that the browser sends along', async () => {
    const calls = [
      ['GET', '/api/v1/status'],
      ['PATCH', '/api/v1/settings', { beatMinMs: 9_000 }],
      ['POST', '/api/v1/keys', { name: 'mine', scopes: ['admin'] }],
      ['POST', '/api/v1/sign-in-links', {}],
      ['POST', '/api/v1/sign-out', {}],
      ['POST', '/api/v1/zones', { name: 'mine' }],
    ] as const;
    for (const site of elsewhere)
      for (const [method, path, body] of calls)
        expect([site, path, ...told(await forged(path, site, { method, body }))]).toEqual([site, path, 401, 'sign-in-needed']);
  });

  it('attack 71: opens no stream of events', async () => {
    for (const site of elsewhere) expect([site, ...told(await forged('/api/v1/events', site))]).toEqual([site, 401, 'sign-in-needed']);
  });

  it('attack 72: signs nobody out, and renews nothing', async () => {
    for (const site of elsewhere)
      for (const path of ['/session/end', '/session/renew'])
        expect([site, ...told(await forged(path, site, { method: 'POST', body: {} }))]).toEqual([site, 403, 'cross-site']);
    expect(await isSignedIn()).toBe(true);
  });

  it('attack 73: learns from nothing whether, and as whom, somebody is signed in', async () => {
    const nobody = (await new Browser(host.url).call('/session')).text;
    for (const site of elsewhere) expect([site, (await forged('/session', site)).text]).toEqual([site, nobody]);
    const { headers } = await forged('/session', 'cross-site');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(told(await host.attack({ path: '/session', headers: { cookie, origin: 'https://evil.test' } }))).toEqual([403, 'cross-site']);
  });
});

describe('a session', () => {
  it('attack 74: is not replaced by that of an attacker whose link a signed-in person opens, and the link stays good', async () => {
    const eve = await aKey(host.shell, rightsOf(['read'], 'all'), {
      kind: 'link',
      who: 'key:eve',
      name: 'eve',
      expiresAt: (Date.now() + 60_000) as never,
    });
    await host.settle();
    const refused = await victim.call('/session', { method: 'POST', body: { secret: eve.text } });
    expect([...told(refused), cookiesSet(refused)]).toEqual([409, 'other-session', []]);
    expect((JSON.parse(refused.text) as { detail: string }).detail).toContain('signed in as operator');
    await host.unharmed();
    expect((await signedInBy(eve.text)).jar.size).toBe(1);
    await host.settle();
  });

  it('attack 75: that was fixed before the sign-in is not the one after it', async () => {
    const browser = new Browser(host.url);
    browser.take({ headers: { 'set-cookie': [`muster-session-${port}=mst_000000000000_${'A'.repeat(43)}_000000; Path=/`] } });
    const fixed = browser.cookiesFor('/', 'same-origin');
    expect((await browser.call('/session', { method: 'POST', body: { secret } })).status).toBe(201);
    expect(browser.cookiesFor('/', 'same-origin')).not.toBe(fixed);
    expect(
      told(await host.attack({ path: '/api/v1/status', headers: { authorization: '', cookie: fixed, 'sec-fetch-site': 'same-origin' } })),
    ).toEqual([401, 'bearer-invalid']);
    await host.settle();
  });

  it('attack 76: counts for nothing beside a second one of its name, such as a program on another port can set', async () => {
    const name = `muster-session-${port}`;
    const eves = (await signedInBy(await linkSecret())).cookiesFor('/', 'same-origin');
    await host.settle();
    for (const tossed of [`${cookie}; ${eves}`, `${eves}; ${cookie}`, `${name}=; ${cookie}`, `${cookie}; ${cookie}`]) {
      const headers = { authorization: '', cookie: tossed, 'sec-fetch-site': 'same-origin' };
      expect(told(await host.attack({ path: '/api/v1/status', headers }))).toEqual([401, 'sign-in-needed']);
      expect(JSON.parse((await host.attack({ path: '/session', headers })).text)).not.toHaveProperty('session');
    }
  });

  it('attack 77: is never an API key, the secret of the operator, a link or anything else that a cookie can hold', async () => {
    const { text: key } = await aKey(host.shell, rightsOf(['read'], 'all'));
    await host.settle();
    const invalid = [key, host.operator, secret, 'mst_', 'a.b.c', `${cookie.split('=')[1]}x`, '%00', 'x'.repeat(4_096)];
    for (const value of invalid) {
      const headers = { authorization: '', cookie: `muster-session-${port}=${value}`, 'sec-fetch-site': 'same-origin' };
      expect([value, ...told(await host.attack({ path: '/api/v1/status', headers }))]).toEqual([value, 401, 'bearer-invalid']);
    }
  });

  it('attack 78: is read under its own name alone, and never from cookies that are too large', async () => {
    const [, value] = cookie.split('=');
    const names = [
      `__Host-muster-session`,
      `muster-session`,
      `muster-session-${Number(port) + 1}`,
      `Muster-Session-${port}`,
      `x-muster-session-${port}`,
    ];
    for (const name of names) {
      const headers = { authorization: '', cookie: `${name}=${value}`, 'sec-fetch-site': 'same-origin' };
      expect([name, ...told(await host.attack({ path: '/api/v1/status', headers }))]).toEqual([name, 401, 'sign-in-needed']);
    }
    const bomb = Array.from({ length: 30 }, (_, n) => `c${n}=${'x'.repeat(400)}`).join('; ');
    expect((await host.attack({ path: '/session', headers: { cookie: bomb } })).status).toBe(431);
    const long = { authorization: '', cookie: `muster-session-${port}=${'x'.repeat(4_097)}`, 'sec-fetch-site': 'same-origin' };
    expect(told(await host.attack({ path: '/api/v1/status', headers: long }))).toEqual([401, 'sign-in-needed']);
  });

  it('attack 79: does not begin by a form or by text, which pages may send anywhere without asking', async () => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'multipart/form-data; boundary=x',
      'text/plain; application/json',
    ])
      expect([
        type,
        ...told(
          await host.attack({
            path: '/session',
            method: 'POST',
            body: JSON.stringify({ secret }),
            headers: { 'sec-fetch-site': 'same-origin', 'content-type': type },
          }),
        ),
      ]).toEqual([type, 415, 'unsupported-media-type']);
  });

  it('attack 80: begins once by a link, however many browsers open it at once, and never by a used one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => new Browser(host.url).call('/session', { method: 'POST', body: { secret } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(7).fill(401)]);
    await host.settle();
    const headers = { 'sec-fetch-site': 'same-origin' };
    expect(told(await host.attack({ path: '/session', method: 'POST', body: { secret }, headers }))).toEqual([401, 'bearer-invalid']);
  });
});

describe('the page', () => {
  it('attack 81: cannot be shown within another page, held by its opener, or made to run or load what is not its own', async () => {
    for (const path of ['/ui/', '/ui/sign-in', '/ui', '/sign-in', '/ui/muster.svg']) {
      const { headers } = await host.attack({ path, headers: { accept: 'text/html' } });
      const policy = String(headers['content-security-policy']);
      for (const rule of [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "script-src 'self';",
        "require-trusted-types-for 'script'",
      ])
        expect([path, policy]).toEqual([path, expect.stringContaining(rule)]);
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });

  it('attack 82: has no path that climbs out of it, written plainly or encoded', async () => {
    const climbs = [
      ...['/ui/../package.json', '/ui/..%2fpackage.json', '/ui/%2e%2e/package.json', '/ui/%2e%2e%2fpackage.json', '/ui/..\\package.json'],
      ...['/ui/..%5cpackage.json', '/ui/x/../../operator.key', '/ui/./main.js', '/ui/%2e/operator.key', '/ui/index.html%00.js'],
      ...['/ui/%252e%252e/package.json', '/ui//etc/passwd.txt', '/ui/.git/config.json', '/ui/build.js', '/ui/files.json'],
    ];
    for (const path of climbs)
      expect([path, ...told(await host.attack({ path, headers: { accept: 'text/html' } }))]).toEqual([path, 404, 'not-found']);
  });

  it('attack 83: and its sessions obey no other method than the one that is sent', async () => {
    for (const headers of [{ 'x-http-method-override': 'POST' }, { 'x-method-override': 'POST' }, { 'x-http-method': 'POST' }]) {
      const call = { headers: { ...headers, authorization: '', cookie, 'sec-fetch-site': 'same-origin' } };
      expect(told(await host.attack({ path: '/session/end', ...call }))).toEqual([405, 'wrong-method']);
      expect(told(await host.attack({ path: '/session/end?_method=POST', ...call }))).toEqual([405, 'wrong-method']);
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])
      expect([method, (await host.attack({ path: '/ui/', method })).status]).toEqual([method, 405]);
    expect(await isSignedIn()).toBe(true);
  });

  it('attack 84: leaves nothing of one caller in a cache for another', async () => {
    const document = await host.attack({ path: '/ui/', headers: { cookie } });
    const [, script] = /src="(\/ui\/main-[\w-]+\.js)"/.exec(document.text)!;
    const poisons = {
      'x-forwarded-host': 'evil.test',
      'x-forwarded-prefix': '/evil',
      'x-original-url': '/evil',
      'x-rewrite-url': '/evil',
      'x-forwarded-scheme': 'http',
      'accept-encoding': 'evil, *;q=1',
      cookie,
    };
    const clean = await host.attack({ path: script! });
    const poisoned = await host.attack({ path: script!, headers: poisons });
    expect([poisoned.text, poisoned.headers['etag'], poisoned.headers['set-cookie']]).toEqual([
      clean.text,
      clean.headers['etag'],
      undefined,
    ]);
    expect(clean.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': 'public, max-age=31536000, immutable' });
    // What is about the caller is stored by no cache.
    const own = await victim.call('/session');
    expect(own.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect((await host.attack({ path: '/', headers: { ...poisons, accept: 'text/html' } })).headers).toMatchObject({
      location: '/ui/',
      'cache-control': 'no-store',
    });
  });
});

describe('a header of an answer', () => {
  it('attack 85: holds nothing that a caller writes into it: no line of its own, and no cookie', async () => {
    for (const to of ['/ui/%0d%0aset-cookie:%20a=b', '/ui/%0aset-cookie:a=b', '/ui/%E5%98%8A%E5%98%8Dx', '/ui/x%00'])
      expect([to, ...told(await host.attack({ path: `/session/begin?to=${to}`, headers: { 'sec-fetch-site': 'none' } }))]).toEqual([
        to,
        422,
        'invalid',
        '/to',
      ]);
    const { host: name } = new URL(host.url);
    const raw = await rawBytes(
      host.url,
      `GET /session HTTP/1.1\r\nhost: ${name}\r\ncookie: muster-session-${port}=a\rset-cookie: b=c\r\nconnection: close\r\n\r\n`,
    );
    expect(raw).not.toMatch(/^set-cookie:/im);
  });
});

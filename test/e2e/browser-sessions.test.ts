import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { anIdentityProvider, browse, type IdentityProvider } from '../../tools/support/identity-provider.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { Browser, cookiesSet } from '../support/a-browser.ts';
import { rawBytes, refusalIn } from '../support/raw-call.ts';

let provider: IdentityProvider;
let host: TestHost;
beforeAll(async () => {
  provider = await anIdentityProvider({
    users: { ada: { groups: ['muster-admin'] }, bob: { groups: ['muster-read'] } },
    accessTokenS: 60,
  });
  host = await aHost({ issuer: provider.settings });
});
afterAll(async () => {
  await host.stop();
  await provider.stop();
});

const secretOf = (link: string): string => link.slice(link.indexOf('#') + 1);
const bodyOf = ({ text }: { readonly text: string }) => JSON.parse(text) as Record<string, unknown>;
/** A browser in which the operator has signed in by a link. */
async function signedIn(): Promise<Browser> {
  const browser = new Browser(host.url);
  const answer = await browser.call('/session', { method: 'POST', body: { secret: secretOf(await host.signInLink()) } });
  expect(answer.status).toBe(201);
  return browser;
}

describe('a browser that opens a sign-in link', () => {
  it('is led to the page with the secret still in its own hands, which has used nothing up', async () => {
    const link = await host.signInLink();
    const { answer, at } = await new Browser(host.url).open(link);
    expect([answer.status, new URL(at).pathname]).toEqual([200, '/ui/sign-in']);
    expect(answer.text).toContain('<div id="root">');
    const { ok } = await apiAt(host.url)(contract.signIn, { body: { secret: secretOf(link) } });
    expect(ok).toBe(true);
  });

  it('gets a session that no script can read, for this host alone and 12 h at the most', async () => {
    const browser = new Browser(host.url);
    const answer = await browser.call('/session', { method: 'POST', body: { secret: secretOf(await host.signInLink()) } });
    const port = new URL(host.url).port;
    expect(answer.status).toBe(201);
    expect(bodyOf(answer)).toMatchObject({ who: 'operator', name: 'operator', rights: { security: 'all' } });
    expect(answer.text).not.toMatch(/mst_/);
    expect(cookiesSet(answer)).toEqual([
      expect.stringMatching(new RegExp(`^muster-session-${port}=mst_[\\w-]+; Max-Age=43(199|200); Path=/; HttpOnly; SameSite=Strict$`)),
    ]);
  });

  it('may then call the API and read the stream, as its session may', async () => {
    const browser = await signedIn();
    expect(bodyOf(await browser.call('/session'))).toMatchObject({
      session: { who: 'operator' },
      canRenew: false,
      methods: ['oidc', 'link'],
    });
    expect((await browser.call('/api/v1/status')).status).toBe(200);
    expect((await browser.call('/api/v1/settings', { method: 'PATCH', body: { beatMinMs: 1_000 } })).status).toBe(200);
    const stream = await browser.call('/api/v1/events', { method: 'HEAD' });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
  });

  it('is signed out by itself, at once, and everywhere that it is signed in', async () => {
    const browser = await signedIn();
    const cookie = browser.cookiesFor('/', 'same-origin');
    const ended = await browser.call('/session/end', { method: 'POST' });
    expect([ended.status, bodyOf(ended), ended.headers['clear-site-data']]).toEqual([200, { wasSignedIn: true }, '"cache"']);
    expect(browser.jar.size).toBe(0);
    expect(refusalIn(await browser.call('/api/v1/status', { headers: { cookie } }))).toEqual([401, 'bearer-invalid']);
    expect(bodyOf(await browser.call('/session/end', { method: 'POST' }))).toEqual({ wasSignedIn: false });
    expect(bodyOf(await browser.call('/session'))).not.toHaveProperty('session');
  });

  it('uses its token where it shows one, whatever its cookie is', async () => {
    const browser = await signedIn();
    const headers = { authorization: 'Bearer mst_wrong' };
    expect(refusalIn(await browser.call('/api/v1/status', { headers }))).toEqual([401, 'bearer-invalid']);
  });

  it('replaces its own session, and the one before ends', async () => {
    const browser = await signedIn();
    const before = browser.cookiesFor('/', 'same-origin');
    expect((await browser.call('/session', { method: 'POST', body: { secret: secretOf(await host.signInLink()) } })).status).toBe(201);
    expect((await browser.call('/api/v1/status')).status).toBe(200);
    expect((await browser.call('/api/v1/status', { headers: { cookie: before } })).status).toBe(401);
  });
});

describe('an open stream', () => {
  it('ends within 5 s of the revocation of its session', async () => {
    const browser = await signedIn();
    const { host: name } = new URL(host.url);
    const cookie = browser.cookiesFor('/', 'same-origin');
    const reading = rawBytes(
      host.url,
      `GET /api/v1/events HTTP/1.1\r\nhost: ${name}\r\ncookie: ${cookie}\r\nsec-fetch-site: same-origin\r\nconnection: close\r\n\r\n`,
    );
    const { body } = (await apiAt(host.url)(contract.listKeys, {})) as { body: { items: { id: string; kind: string }[] } };
    const [, id] = /=mst_(\w{12})_/.exec(cookie)!;
    expect(body.items.find((one) => one.id === id)).toMatchObject({ kind: 'session' });
    await apiAt(host.url)(contract.revokeKey, { params: { id: id! } as never, body: {} });
    expect(await reading).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*text\/event-stream/);
  }, 5_000);
});

describe('a browser that signs in at the issuer', () => {
  /** Signs in as this user, and comes back to the host as the issuer sends it. */
  const signInAs = async (user: string, browser = new Browser(host.url), to = '/ui/nodes') => {
    const begun = await browser.call(`/session/begin?to=${encodeURIComponent(to)}`);
    expect(begun.status).toBe(302);
    const back = await backFrom(String(begun.headers['location']), user);
    const returned = await browser.call(`${back.pathname}${back.search}`, { from: 'cross-site' });
    return { browser, back, returned, begun };
  };
  /** The address to which the issuer sends a person back who signs in as this user. */
  async function backFrom(address: string, user: string): Promise<URL> {
    let came: URL | undefined;
    await browse(address, user, (url) => {
      if (url.origin !== host.url) return false;
      came = url;
      return true;
    });
    return came!;
  }

  it('is led there with a challenge and a state, and by nothing that is secret', async () => {
    const begun = await new Browser(host.url).call('/session/begin');
    const asked = new URL(String(begun.headers['location']));
    expect(asked.origin).toBe(provider.issuer);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      client_id: 'muster-cli',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      redirect_uri: `${host.url}/session/callback`,
      response_type: 'code',
      scope: 'openid profile offline_access',
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    const port = new URL(host.url).port;
    expect(cookiesSet(begun)).toEqual([
      expect.stringMatching(new RegExp(`^muster-begun-${port}=\\S+; Max-Age=600; Path=/session; HttpOnly; SameSite=Lax$`)),
    ]);
    expect(begun.headers['referrer-policy']).toBe('no-referrer');
  });

  it('comes back to the view where it began, signed in as the issuer says', async () => {
    const { browser, returned } = await signInAs('ada');
    expect([returned.status, returned.headers['location']]).toEqual([302, '/ui/nodes']);
    expect(bodyOf(await browser.call('/session'))).toMatchObject({
      session: { who: 'admin:ada', name: 'ada', rights: { admin: 'all' } },
      canRenew: true,
    });
    expect((await browser.call('/api/v1/settings', { method: 'PATCH', body: { beatMinMs: 1_000 } })).status).toBe(200);
  });

  it('renews its session, with what only those paths are sent', async () => {
    const { browser } = await signInAs('bob');
    expect(browser.cookiesFor('/api/v1/status', 'same-origin')).not.toContain('renewal');
    const before = browser.cookiesFor('/api/v1/status', 'same-origin');
    const renewed = await browser.call('/session/renew', { method: 'POST' });
    expect([renewed.status, bodyOf(renewed)]).toMatchObject([200, { who: 'admin:bob', name: 'bob' }]);
    expect(browser.cookiesFor('/api/v1/status', 'same-origin')).not.toBe(before);
    expect((await browser.call('/api/v1/status')).status).toBe(200);
  });

  it('signs in again once the issuer gives no more', async () => {
    const { browser } = await signInAs('bob');
    provider.endSignIns('bob');
    const refused = await browser.call('/session/renew', { method: 'POST' });
    expect(refusalIn(refused)).toEqual([401, 'bearer-invalid']);
    expect(bodyOf(await browser.call('/session'))).toMatchObject({ canRenew: false });
    expect(refusalIn(await browser.call('/session/renew', { method: 'POST' }))).toEqual([401, 'sign-in-needed']);
  });

  it('signs out at the issuer too: what renewed it is good for nothing', async () => {
    const { browser } = await signInAs('ada');
    const cookie = browser.cookiesFor('/session', 'same-origin');
    expect((await browser.call('/session/end', { method: 'POST' })).status).toBe(200);
    expect(browser.jar.size).toBe(0);
    expect(refusalIn(await browser.call('/session/renew', { method: 'POST', headers: { cookie } }))).toEqual([401, 'bearer-invalid']);
  });

  it('that is locked here is not signed in, and learns in one word why', async () => {
    const lock = (path: 'lockSubject' | 'unlockSubject') => apiAt(host.url)(contract[path], { body: { subject: 'ada' } as never });
    await lock('lockSubject');
    const { browser, returned } = await signInAs('ada');
    await lock('unlockSubject');
    expect(returned.headers['location']).toBe('/ui/sign-in?failed=token');
    expect(bodyOf(await browser.call('/session'))).not.toHaveProperty('session');
  });
});

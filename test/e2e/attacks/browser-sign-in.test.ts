import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anIdentityProvider, browse, type IdentityProvider } from '../../../tools/support/identity-provider.ts';
import { Browser, cookiesSet } from '../../support/a-browser.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let provider: IdentityProvider;
let host: Stronghold;
beforeAll(async () => {
  provider = await anIdentityProvider({ users: { ada: { groups: ['muster-admin'] }, eve: { groups: ['muster-read'] } } });
  host = await aStronghold({ issuer: provider.settings });
});
beforeEach(() => host.settle());
afterAll(async () => {
  await host.stop();
  await provider.stop();
});
afterEach(() => host.unharmed());

/** Begins a sign-in in a browser, and goes through it at the issuer; the path with which the issuer sends it back. */
async function gone(browser: Browser, user: string): Promise<string> {
  const begun = await browser.call('/session/begin', { from: 'none' });
  expect(begun.status).toBe(302);
  let back = '';
  await browse(String(begun.headers['location']), user, (url) => {
    if (url.origin !== host.url) return false;
    back = `${url.pathname}${url.search}`;
    return true;
  });
  return back;
}
/** The browser comes back by this path, from another site as it does from an issuer. */
const comesBack = (browser: Browser, path: string) => browser.call(path, { from: 'cross-site' });
const ledTo = ({ status, headers }: { status: number; headers: Readonly<Record<string, unknown>> }) => [status, headers['location']];
const hasSession = async (browser: Browser): Promise<boolean> => 'session' in (JSON.parse((await browser.call('/session')).text) as object);

describe('a sign-in at the issuer', () => {
  it('attack 86: returns to the page alone: an address elsewhere is refused before anybody signs in', async () => {
    const addresses = [
      ...[
        'https://evil.test/',
        '//evil.test/',
        '/\\evil.test',
        '\\\\evil.test',
        '/ui//evil.test',
        '/ui/../..//evil.test',
        'javascript:alert(1)',
      ],
      ...['/api/v1/status', '/session/end', '/ui', '/ui\\@evil.test', '/ui/#msl_', '/ui/\t', `/ui/${'x'.repeat(600)}`, ''],
    ];
    for (const to of addresses) {
      const path = `/session/begin?to=${encodeURIComponent(to)}`;
      expect([to, ...told(await host.attack({ path, headers: { 'sec-fetch-site': 'same-origin' } }))]).toEqual([to, 422, 'invalid', '/to']);
    }
    for (const site of ['cross-site', 'same-site'])
      expect(told(await host.attack({ path: '/session/begin', headers: { 'sec-fetch-site': site } }))).toEqual([403, 'cross-site']);
  });

  it('attack 87: that this browser did not begin is none: another state, none, or that of the browser of an attacker', async () => {
    const [eve, ada] = [new Browser(host.url), new Browser(host.url)];
    const [eves, adas] = [await gone(eve, 'eve'), await gone(ada, 'ada')];
    const failed = [302, '/ui/sign-in?failed=state'];
    expect(ledTo(await comesBack(new Browser(host.url), eves))).toEqual(failed);
    expect(ledTo(await comesBack(new Browser(host.url), '/session/callback?code=x'))).toEqual(failed);
    const mixed = await comesBack(ada, eves);
    expect(ledTo(mixed)).toEqual(failed);
    expect(cookiesSet(mixed).filter((set) => /session-|renewal/.test(set))).toEqual([]);
    // The attempt has used up what Ada had begun: what comes late is refused as well.
    expect(ledTo(await comesBack(ada, adas))).toEqual(failed);
    expect(await hasSession(ada)).toBe(false);
  });

  it('attack 88: is finished once: neither its address nor its code is good again, in this browser or another', async () => {
    const ada = new Browser(host.url);
    const back = await gone(ada, 'ada');
    const begun = ada.cookiesFor('/session/callback', 'cross-site');
    expect(ledTo(await comesBack(ada, back))).toEqual([302, '/ui/']);
    expect(ledTo(await comesBack(ada, back))).toEqual([302, '/ui/sign-in?failed=state']);
    const again = await new Browser(host.url).call(back, { from: 'cross-site', headers: { cookie: begun } });
    expect(ledTo(again)).toEqual([302, '/ui/sign-in?failed=refused']);
    expect(cookiesSet(again).filter((set) => /session-|renewal/.test(set))).toEqual([]);
  });

  it('attack 89: takes no code that was issued to another browser: it lacks the verifier', async () => {
    const [eve, ada] = [new Browser(host.url), new Browser(host.url)];
    const [eves, adas] = [await gone(eve, 'eve'), await gone(ada, 'ada')];
    const code = new URLSearchParams(eves.split('?')[1]).get('code')!;
    const given = new URLSearchParams(adas.split('?')[1]);
    given.set('code', code);
    expect(ledTo(await comesBack(ada, `/session/callback?${given}`))).toEqual([302, '/ui/sign-in?failed=refused']);
    expect(await hasSession(ada)).toBe(false);
  });

  it('attack 90: shows nothing of what an answer of the issuer says, whoever wrote it', async () => {
    const evil = '<script>alert(1)</script>\u0000\u202e';
    for (const error of ['access_denied', evil]) {
      const ada = new Browser(host.url);
      const state = new URLSearchParams((await gone(ada, 'ada')).split('?')[1]).get('state')!;
      const said = new URLSearchParams({ state, error, error_description: evil, iss: provider.issuer });
      const answer = await comesBack(ada, `/session/callback?${said}`);
      expect(ledTo(answer)).toEqual([302, expect.stringMatching(/^\/ui\/sign-in\?failed=(denied|refused)$/)]);
      expect(answer.text).toBe('');
    }
    const ada = new Browser(host.url);
    const back = await gone(ada, 'ada');
    // An answer that claims to be of another issuer (RFC 9207).
    expect(ledTo(await comesBack(ada, back.replace(encodeURIComponent(provider.issuer), 'https%3A%2F%2Fevil.test')))[1]).toMatch(/failed=/);
    expect(await hasSession(ada)).toBe(false);
  });
});

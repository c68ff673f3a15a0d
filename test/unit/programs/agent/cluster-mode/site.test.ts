import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { contentKinds } from '../../../../../lib/uyuni/content/kinds.ts';
import { barScript } from '../../../../../programs/agent/uyuni/site/bar.ts';
import { siteHeaders } from '../../../../../programs/agent/uyuni/site/headers.ts';
import { ownPages } from '../../../../../programs/agent/uyuni/site/own-pages.ts';
import type { SiteRequest, SiteRoute } from '../../../../../programs/agent/uyuni/site/route.ts';
import { type Site, siteBodyBytesMax, startSite } from '../../../../../programs/agent/uyuni/site/site.ts';
import { type Standing, whoEdits } from '../../../../../programs/agent/uyuni/site/standing.ts';
import { after, answered } from './served.ts';

const aStanding = (given: Partial<Standing> = {}): Standing => ({
  fqdn: 'uyuni1.acme.test',
  zone: 'berlin',
  clusterUi: 'https://muster.acme.test/ui/',
  locksContent: true,
  isOpen: false,
  ...given,
});

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

/** A site with these pages, its address, and what it reported. */
async function aSite(routes: readonly SiteRoute[]) {
  const said: string[] = [];
  const site = await startSite({ port: 0, routes, passes: [], say: (line) => void said.push(line), after });
  sites.push(site);
  return { url: `http://127.0.0.1:${site.port}`, port: site.port, said };
}

describe('the agent’s site', () => {
  const asked: SiteRequest[] = [];
  const enter: SiteRoute = {
    method: 'POST',
    path: '/muster/enter',
    answer: async (request) => {
      asked.push(request);
      return { status: 303, headers: { location: '/rhn/YourRhn.do', 'set-cookie': 'a=b' }, body: '' };
    },
  };

  it('hands a request to its route, whole, and answers with the headers of the site', async () => {
    const { url } = await aSite([enter]);
    const { status, headers } = await answered(`${url}/muster/enter?to=%2Fa`, { method: 'POST', parts: ['ticket=', 'ä'] });
    expect({ status, location: headers.location, cookie: headers['set-cookie'] }).toEqual({
      status: 303,
      location: '/rhn/YourRhn.do',
      cookie: ['a=b'],
    });
    expect(headers).toMatchObject(siteHeaders);
    expect(asked).toEqual([
      { method: 'POST', path: '/muster/enter', query: new URLSearchParams({ to: '/a' }), headers: expect.any(Object), body: 'ticket=ä' },
    ]);
  });

  it('answers what it does not have, and methods that a page does not take', async () => {
    const { url } = await aSite([enter]);
    expect(await answered(`${url}/muster/../etc/passwd`)).toMatchObject({ status: 404 });
    expect(await answered(`${url}/muster/enter`)).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(await answered(`${url}//evil.test/muster/enter`, { method: 'POST' })).toMatchObject({ status: 404 });
  });

  it('reads 64 KiB of a body and no more', async () => {
    const { url } = await aSite([{ ...enter, answer: async ({ body }) => ({ status: 200, headers: {}, body: String(body.length) }) }]);
    const sized = (bytes: number) => answered(`${url}/muster/enter`, { method: 'POST', parts: ['x'.repeat(bytes)] });
    expect(await sized(siteBodyBytesMax)).toMatchObject({ status: 200, body: String(siteBodyBytesMax) });
    expect((await sized(siteBodyBytesMax + 1)).status).toBe(413);
  });

  it('answers a fault of a page, reports it, and goes on', async () => {
    const { url, said } = await aSite([{ ...enter, answer: () => Promise.reject(new Error('a fault')) }]);
    expect(await answered(`${url}/muster/enter`, { method: 'POST' })).toMatchObject({ status: 500 });
    expect(said).toEqual(['the site of cluster mode has failed at POST /muster/enter: Error: a fault']);
    expect((await answered(`${url}/muster/none`)).status).toBe(404);
  });

  it('reports nothing when a caller goes away in the middle', async () => {
    const { port, url, said } = await aSite([enter]);
    const socket = connect(port, '127.0.0.1');
    const begun = 'POST /muster/enter HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc';
    await new Promise<void>((resolve) => socket.write(begun, () => resolve()));
    await new Promise<void>((resolve) => socket.destroy().once('close', () => resolve()));
    expect((await answered(`${url}/muster/none`)).status).toBe(404);
    expect(said).toEqual([]);
  });

  it('refuses headers of no end, and listens on loopback alone', async () => {
    const { url, port } = await aSite([enter]);
    expect((await answered(`${url}/muster/enter`, { headers: { a: 'x'.repeat(20_000) } })).status).toBe(431);
    const outside = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    if (outside === undefined) return;
    await expect(answered(`http://${outside.address}:${port}/muster/enter`)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('the agent’s pages', () => {
  const answer = async (path: string, standing = aStanding()) => {
    const route = ownPages(() => standing).find((one) => one.path === path);
    return route?.answer({ method: 'GET', path, query: new URLSearchParams(), headers: {}, body: '' });
  };

  it('lead to the Cluster UI, which is where the operator said, whatever is asked', async () => {
    expect(await answer('/muster/')).toMatchObject({ status: 302, headers: { location: 'https://muster.acme.test/ui/' } });
  });

  it('name the onboarding pool in place of Salt’s keys', async () => {
    const found = await answer('/muster/onboarding');
    expect(found?.status).toBe(200);
    expect(found?.body).toContain('onboarding pool of Muster, for all servers of the zone <b>berlin</b>');
  });

  it('say for each kind of content what is locked, and who edits where, to people and to programs', async () => {
    const standing = aStanding({ editing: { who: 'ada', node: 'uyuni2.acme.test' } });
    for (const { kind, title } of contentKinds) {
      const page = await answer(`/muster/locked/${kind}`, standing);
      expect([kind, page?.status, page?.body.includes('ada edits the common content of the zone berlin at uyuni2.acme.test')]).toEqual([
        kind,
        403,
        true,
      ]);
      const call = await answer(`/muster/locked-call/${kind}`, standing);
      const { success, message } = JSON.parse(call?.body ?? '');
      expect([call?.status, success]).toEqual([403, false]);
      expect(message).toMatch(new RegExp(`^${title} belong to the common content of the zone berlin, .* ada edits .* at uyuni2`));
    }
  });

  it('run no script, and show every value as text', async () => {
    const hostile = aStanding({ editing: { who: '<img src=x onerror=alert(1)>', node: '"><script>' }, zone: "a'&b" });
    for (const path of ['/muster/locked/channel', '/muster/onboarding']) {
      const body = (await answer(path, hostile))?.body ?? '';
      expect(body).not.toMatch(/<script|<img/);
      expect(body).toContain('a&#39;&amp;b');
    }
  });
});

describe('the bar', () => {
  /** What the script has been given to show. */
  const told = (standing: Standing) => JSON.parse(/const told = (.*);$/m.exec(barScript(standing))?.[1] ?? '');

  it('says which node this is, that it is part of a cluster, and what is locked', () => {
    expect(told(aStanding())).toEqual({
      node: 'uyuni1.acme.test',
      cluster: 'part of a cluster, zone berlin',
      clusterUi: 'https://muster.acme.test/ui/',
      locked: 'Common content is locked here. At present no server of the zone berlin is open for editing.',
    });
    expect(told(aStanding({ isOpen: true })).locked).toBe('Common content is open for editing here.');
    expect(told(aStanding({ locksContent: false })).locked).toBe('');
  });

  it('shows names that hide something by the codes of their characters', async () => {
    expect(whoEdits(aStanding({ editing: { who: 'a\u0007\u202eb', node: 'c' } }))).toContain('a\\u{7}\\u{202e}b edits');
  });

  it('holds no text that could end the script', () => {
    const script = barScript(aStanding({ editing: { who: '</script><script>alert(1)//\u2028', node: 'a' } }));
    expect(script).not.toMatch(/<\/script|\u2028/);
    expect(() => new Function(script)).not.toThrow();
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditView } from '../../lib/audit/routes.ts';
import { mintSession } from '../../programs/agent/uyuni/enter/mint-session.ts';
import { enteringHere } from '../../programs/agent/uyuni/enter/start.ts';
import { databaseIn, sessionsIn } from '../../programs/agent/uyuni/rhn-conf.ts';
import { connectTo } from '../../programs/agent/uyuni/session.ts';
import type { SiteAnswer, SiteRoute } from '../../programs/agent/uyuni/site/route.ts';
import { startSite } from '../../programs/agent/uyuni/site/site.ts';
import { Agent } from '../../tools/support/players.ts';
import { stepped, type World } from '../../tools/support/stepped.ts';
import { administrator, type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { viewOf } from '../support/an-agent-view.ts';
import { logIn } from '../support/uyuni-api.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

const [fqdn, endpoint] = ['node1.acme.org', 'https://muster.acme.org'];

describeWithPostgres('people who enter a server from Muster', () => {
  let server: PlayedServer;
  let admin: Awaited<ReturnType<typeof logIn>>;
  let folder: string;
  let world: World;
  let node: Agent;
  let said: string[];
  let routes: readonly SiteRoute[];

  beforeAll(async () => {
    server = await startServer({ fqdn });
    admin = await logIn(server.url);
    for (const login of ['alice', 'gone', 'robot']) await admin('user.create', login, 'a-password', 'A', 'B', 'a@acme.org');
    await admin('user.disable', 'gone');
    await admin('user.setReadOnly', 'robot', true);
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    world = await stepped();
    node = await new Agent(world, fqdn).start({ kind: 'uyuni' });
    folder = mkdtempSync(join(tmpdir(), 'muster-enter-'));
    said = [];
    const entering = enteringHere(join(folder, 'enter.json'), { endpoint, world, say: (line) => said.push(line) });
    entering.start(viewOf(node));
    routes = entering.routes;
    rules({ logins: { operator: 'alice' } });
    return () => rmSync(folder, { recursive: true });
  });

  const rhnConf = () => join(server.root, 'etc/rhn/rhn.conf');
  const rules = (given: object) =>
    writeFileSync(join(folder, 'enter.json'), JSON.stringify({ rhnConf: rhnConf(), ...given }), { mode: 0o600 });
  const ticket = async (path?: string): Promise<string> => {
    const reply = await world.call('POST', `/api/v1/nodes/${fqdn}/enter`, path === undefined ? {} : { path });
    return (reply.body as { ticket: string }).ticket;
  };
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: endpoint };
  const post = (body: string, headers: Readonly<Record<string, string>> = form): Promise<SiteAnswer> =>
    routes
      .find(({ method }) => method === 'POST')!
      .answer({ method: 'POST', path: '/muster/enter', query: new URLSearchParams(), headers, body });
  const enter = async (path?: string) => post(`ticket=${await ticket(path)}`);
  const keyIn = ({ headers }: SiteAnswer): string => /^pxt-session-cookie=([^;]+);/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';
  const audit = async (): Promise<string[]> => {
    await world.step(10_000);
    return ((await world.call('GET', '/api/v1/audit?limit=100')).body as { items: AuditView[] }).items.map(({ because }) => because);
  };
  const sessions = async () => (await server.database.rows<{ n: number }>('SELECT count(*) AS n FROM pxtsessions'))[0]?.n;
  /** What the server answers to who comes with the cookie. */
  const asked = async (key: string, of = server) =>
    (await fetch(`${of.url}/rhn/manager/api/user/listUsers`, { headers: { cookie: `pxt-session-cookie=${key}` } })).json();

  it('have a session of the server, as it makes them itself, and are led to the page', async () => {
    const path = '/rhn/systems/details/Overview.do?sid=1000010000';
    const answer = await enter(path);
    expect(answer).toMatchObject({ status: 303, body: '', headers: { location: path } });
    expect(answer.headers['set-cookie']).toMatch(/; Max-Age=3600; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
    const key = keyIn(answer);
    expect(await asked(key)).toMatchObject({ success: true });
    const [row] = await server.database.rows(
      `SELECT c.login, s.expires - extract(epoch FROM clock_timestamp()) BETWEEN 3500 AND 3601 AS lives, i.last_logged_in IS NOT NULL AS noted
       FROM pxtsessions s JOIN web_contact c ON c.id = s.web_user_id JOIN rhnuserinfo i ON i.user_id = c.id WHERE s.id = $1`,
      [key.split('x')[0]],
    );
    expect(row).toEqual({ login: 'alice', lives: true, noted: true });
    expect(await audit()).toContain(`operator entered ${fqdn} as alice`);
    expect(said).toEqual(['operator entered this server as alice']);
  });

  it('enter once by a ticket, and not by one of another node or a late one', async () => {
    const [once, late] = [await ticket(), await ticket()];
    expect(await post(`ticket=${once}`)).toMatchObject({ status: 303 });
    const before = await sessions();
    const other = await new Agent(world, 'node2.acme.org').start({ kind: 'uyuni' });
    const elsewhere = (await world.call('POST', `/api/v1/nodes/${other.fqdn}/enter`, {})).body as { ticket: string };
    for (const [text, why] of [
      [once, 'the ticket was presented before'],
      [elsewhere.ticket, 'the ticket is for node2.acme.org'],
    ] as const) {
      const refused = await post(`ticket=${text}`);
      expect(refused).toMatchObject({ status: 403, body: expect.stringContaining(why) });
      expect(refused.headers).not.toHaveProperty('set-cookie');
    }
    await world.step(30_000);
    expect(await post(`ticket=${late}`)).toMatchObject({ status: 403, body: expect.stringContaining('too old') });
    expect(await sessions()).toBe(before);
    expect(await audit()).toEqual(
      expect.arrayContaining([
        `refused: the ticket was presented before, at ${fqdn}`,
        `refused: the ticket is for node2.acme.org, at ${fqdn}`,
        `refused: the ticket is too old: it holds for 30 s, at ${fqdn}`,
      ]),
    );
    for (const text of [once, late, elsewhere.ticket]) expect(said.join()).not.toContain(text.split('_')[2]);
  });

  it.each([
    ['nobody', {}, 'operator (operator) has no login on this server'],
    ['a login that is not there', { logins: { operator: 'mallory' } }, 'the server has no login mallory'],
    ['a login that is disabled', { logins: { operator: 'gone' } }, 'the login gone is disabled on the server'],
    ['a login for programs', { logins: { operator: 'robot' } }, 'the login robot may only call the API of the server'],
    ['a login of another organisation', { logins: { operator: 'alice' }, organisation: 'Umbrella' }, 'of the organisation'],
    ['rules that cannot be read', { logins: [] }, 'is not right'],
    ['a server without secrets', { logins: { operator: 'alice' }, rhnConf: '/dev/null' }, 'lacks a web.session_secret'],
  ])('who are mapped to %s are refused, which is in the audit', async (_what, given, why) => {
    rules(given);
    const before = await sessions();
    const refused = await enter();
    expect(refused).toMatchObject({ status: 403, body: expect.stringContaining(why) });
    expect(refused.headers).not.toHaveProperty('set-cookie');
    expect((await audit()).find((because) => because.startsWith('refused: '))).toContain(why);
    expect(await sessions()).toBe(before);
  });

  it('of another page, or without a form, are refused, and a ticket is then used up', async () => {
    const text = await ticket();
    const stolen = { ...form, origin: 'https://evil.example' };
    expect(await post(`ticket=${text}`, stolen)).toMatchObject({ status: 403, body: expect.stringContaining('https://evil.example') });
    expect(await post(`ticket=${text}`)).toMatchObject({ status: 403, body: expect.stringContaining('presented before') });
    for (const origin of ['null', `https://${fqdn}`, 'https://muster.acme.org.evil.example', 'http://muster.acme.org'])
      expect(await post(`ticket=${await ticket()}`, { ...form, origin })).toMatchObject({ status: 403 });
    rules({ logins: { operator: 'alice' }, origins: ['https://ui.acme.org/ui/'] });
    expect(await post(`ticket=${await ticket()}`, { ...form, origin: 'https://ui.acme.org' })).toMatchObject({ status: 303 });
    expect(await post(`{"ticket":"${await ticket()}"}`, { 'content-type': 'application/json' })).toMatchObject({ status: 403 });
    const get = routes.find(({ method }) => method === 'GET')!;
    const query = new URLSearchParams({ ticket: await ticket() });
    expect(await get.answer({ method: 'GET', path: '/muster/enter', query, headers: {}, body: '' })).toMatchObject({ status: 403 });
    const all = await audit();
    expect(all).toContain('refused: the form came from https://evil.example, which is not Muster');
    expect(all).toContain(`refused: a browser came without a ticket, at ${fqdn}`);
  });

  it('whose key another server made are not known to it', async () => {
    const other = join(folder, 'rhn.conf');
    writeFileSync(other, readFileSync(rhnConf(), 'utf8').replace(/(web\.session_secret_3 = )./, '$1-'), { mode: 0o600 });
    rules({ logins: { operator: 'alice' }, rhnConf: other });
    expect(await asked(keyIn(await enter()))).toMatchObject({ success: false, message: expect.stringContaining('is not valid') });
  });

  it('are let in by the site of the agent, by a form as browsers send it', async () => {
    const site = await startSite({ port: 0, routes, passes: [], say: (line) => said.push(line), after: () => () => undefined });
    const body = new URLSearchParams({ ticket: await ticket() });
    const entered = await fetch(`http://127.0.0.1:${site.port}/muster/enter`, {
      method: 'POST',
      body,
      headers: { origin: endpoint },
      redirect: 'manual',
    });
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/rhn/YourRhn.do']);
    expect(await asked(/=([^;]+)/.exec(entered.headers.get('set-cookie') ?? '')?.[1] ?? '')).toMatchObject({ success: true });
    await site.close();
  });

  describe('a session that is made for a program', () => {
    it('is one of the API, also for a login that may do no more', async () => {
      const session = await connectTo(databaseIn(rhnConf()));
      const minted = await mintSession(session, 'ROBOT', { ...sessionsIn(rhnConf()), use: 'api' });
      expect(minted).toMatchObject({ ok: true, login: 'robot', lifetimeS: 3_600 });
      expect(await asked(minted.ok ? minted.key : '')).toMatchObject({ success: true });
      expect(await mintSession(session, administrator.login, { ...sessionsIn(rhnConf()), use: 'pages' })).toMatchObject({ ok: true });
      await session.close();
    });
  });
});

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DateTime } from '../../lib/uyuni/xml-rpc/value.ts';
import { nameOf } from '../../tools/support/uyuni/fill.ts';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { callUyuni, faultOf, logIn } from '../support/uyuni-api.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

const earliest = new DateTime('20260101T00:00:00');

describeWithPostgres('a played Uyuni server', () => {
  let server: PlayedServer;
  let admin: Awaited<ReturnType<typeof logIn>>;
  /** The number of the nth system. */
  const sid = (n: number): number => 1_000_010_000 + n - 1;

  beforeAll(async () => {
    server = await startServer({ fqdn: 'node1.acme.test', systems: 60 });
    admin = await logIn(server.url);
  });
  afterAll(() => server?.stop());
  beforeEach(() => {
    Object.assign(server.troubles, { delayMs: 0, hangs: false, refusesLogin: false, isAway: false });
  });

  it('has systems with channels, groups, values, notes, formulas and accepted keys from its first start', async () => {
    expect(await callUyuni(server.url, 'api.getVersion')).toBe('29');
    expect(await admin('system.listSystems')).toHaveLength(60);
    expect(await admin('system.getDetails', sid(1))).toMatchObject({
      id: sid(1),
      profile_name: 'node1-00001.acme.test',
      minion_id: 'node1-00001.acme.test',
      base_entitlement: 'salt_entitled',
      lock_status: false,
    });
    expect(await admin('system.getCustomValues', sid(1))).toEqual({ owner: 'team-8', site: 'site-0' });
    expect(await admin('system.listNotes', sid(1))).toMatchObject([{ subject: 'Handed over', system_id: sid(1) }]);
    expect(await admin('formula.getFormulasByServerId', sid(1))).toEqual(['locale']);
    expect(await admin('system.getSubscribedBaseChannel', sid(1))).toMatchObject({ label: 'leap-x86_64' });
    expect(await admin('saltkey.acceptedList')).toHaveLength(60);
    expect(await admin('systemgroup.getDetails', 'web')).toMatchObject({ system_count: 15 });
  });

  it('keeps what is written about a system, and its history, until the system is deleted', async () => {
    await admin('system.addNote', sid(2), 'Moved', 'From the other rack');
    await admin('system.setCustomValues', sid(2), { owner: 'team-z' });
    await admin('systemgroup.create', 'canary', 'The first');
    await admin('systemgroup.addOrRemoveSystems', 'canary', [sid(2)], true);
    await admin('formula.setFormulasOfServer', sid(2), ['tuned']);
    await admin('formula.setSystemFormulaData', sid(2), 'tuned', { profile: 'fast' });
    const action = await admin('system.scheduleChangeChannels', sid(2), 'sles-x86_64', ['sles-tools-x86_64'], earliest);
    await admin('system.setLockStatus', sid(2), true);
    expect(await admin('system.listNotes', sid(2))).toMatchObject([{ subject: 'Moved', note: 'From the other rack', creator: 'admin' }]);
    expect(await admin('system.getCustomValues', sid(2))).toMatchObject({ owner: 'team-z' });
    expect(await admin('systemgroup.listSystemsMinimal', 'canary')).toMatchObject([{ id: sid(2) }]);
    expect(await admin('formula.getSystemFormulaData', sid(2), 'tuned')).toEqual({ profile: 'fast' });
    expect(await admin('system.listSubscribedChildChannels', sid(2))).toMatchObject([{ label: 'sles-tools-x86_64' }]);
    expect(await admin('system.getDetails', sid(2))).toMatchObject({ lock_status: true });
    expect(await admin('system.getEventHistory', sid(2), 0, 2)).toMatchObject([
      { id: action, history_type: 'channels.subscribe', status: 'Queued' },
      { history_type: 'History Event', summary: 'Updated system channel subscriptions' },
    ]);
    await admin('system.deleteSystems', [sid(2)], 'FORCE_DELETE');
    expect(await faultOf(admin('system.getDetails', sid(2)))).toEqual({ code: -208, text: `No such system - sid[${sid(2)}]` });
    expect(await admin('saltkey.acceptedList')).not.toContain(nameOf('node1', 2));
    expect(await admin('systemgroup.getDetails', 'canary')).toMatchObject({ system_count: 0 });
  });

  it('answers by XML-RPC as the server does: snake case, overloads, blanks at a key, faults with HTTP 200', async () => {
    expect(await admin('system.list_systems')).toEqual(await admin('system.listSystems'));
    expect(await callUyuni(server.url, 'system.getName', `${admin.key}\n`, sid(3))).toMatchObject({ id: sid(3) });
    expect(await admin('system.getName', String(sid(3)))).toMatchObject({ id: sid(3) });
    expect(await admin('systemgroup.getDetails', 'web')).toEqual(await admin('systemgroup.getDetails', 7));
    expect(await faultOf(callUyuni(server.url, 'auth.login', 'admin', 'wrong'))).toMatchObject({ code: 2950 });
    expect(await faultOf(admin('system.getName'))).toMatchObject({
      code: -1,
      text: expect.stringContaining('Could not find method: getName'),
    });
    const [id] = admin.key.split('x');
    expect((await faultOf(callUyuni(server.url, 'system.listSystems', `${id}x${'0'.repeat(64)}`))).text).toContain('is not valid');
    const broken = await fetch(`${server.url}/rpc/api`, { method: 'POST', body: '<methodCall>' });
    expect([broken.status, broken.headers.get('content-type')]).toEqual([200, 'text/xml']);
    expect((await fetch(`${server.url}/rpc/api`, { redirect: 'manual' })).status).toBe(302);
  });

  it('takes a fault back: nothing of a call that failed is kept', async () => {
    const fault = await faultOf(admin('system.setCustomValues', sid(4), { owner: 'half', nowhere: 'x' }));
    expect(fault.text).toContain('nowhere');
    expect(await admin('system.getCustomValues', sid(4))).not.toMatchObject({ owner: 'half' });
  });

  it('answers by JSON with the same values, and refuses a GET that writes', async () => {
    const json = `${server.url}/rhn/manager/api`;
    const login = await fetch(`${json}/auth/login`, {
      method: 'POST',
      body: JSON.stringify({ login: 'admin', password: 'admin-of-acme' }),
    });
    const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
    const get = async (path: string) => (await fetch(`${json}/${path}`, { headers: { cookie } })).json();
    expect(await get(`system/getCustomValues?sid=${sid(5)}`)).toEqual({
      success: true,
      result: await admin('system.getCustomValues', sid(5)),
    });
    expect(await get(`system/addNote?sid=${sid(5)}&subject=a&body=b`)).toMatchObject({ success: false });
    expect((await fetch(`${json}/system/listSystems`)).status).toBe(401);
    const post = await fetch(`${json}/system/addNote`, {
      method: 'POST',
      headers: { cookie },
      body: JSON.stringify({ sid: sid(5), subject: 'a', body: 'b' }),
    });
    expect(await post.json()).toEqual({ success: true, result: 1 });
    expect(await get(`system/getName?sid=${sid(5)}`)).toMatchObject({ result: { last_checkin: expect.stringMatching(/^2\d{3}-.*Z$/) } });
    const { fingerprints } = (await get('systems/keys')) as { fingerprints: { id: string; fingerprint: string; state: string }[] };
    expect(fingerprints.find(({ id }) => id === nameOf('node1', 5))).toMatchObject({
      state: 'accepted',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('lets people do what their roles say, and a read-only person read', async () => {
    await admin('user.create', 'reader', 'secret', 'Re', 'Ader', 'reader@acme.test');
    const reader = await logIn(server.url, { login: 'reader', password: 'secret' });
    expect(await faultOf(reader('systemgroup.create', 'mine', ''))).toMatchObject({ code: -23 });
    await admin('user.setReadOnly', 'reader', true);
    expect(await reader('system.listSystems')).toHaveLength(59);
    expect((await faultOf(reader('system.addNote', sid(6), 'a', 'b'))).text).toContain('not available to read-only API users');
  });

  it('forgets a session that was ended, or whose time has passed', async () => {
    const other = await logIn(server.url);
    await other('auth.logout');
    expect((await faultOf(other('system.listSystems'))).text).toContain('Could not find session');
    const late = await logIn(server.url);
    await server.database.rows('UPDATE pxtsessions SET expires = expires - 3601 WHERE id = $1', [late.key.split('x')[0]]);
    expect((await faultOf(late('system.listSystems'))).text).toContain('Could not find session');
  });

  it('fails as it is asked to: away, refusing its password, and with its database gone and back', async () => {
    server.troubles.isAway = true;
    expect((await fetch(`${server.url}/rpc/api`, { method: 'POST', body: '' })).status).toBe(503);
    server.troubles.isAway = false;
    server.troubles.refusesLogin = true;
    expect(await faultOf(callUyuni(server.url, 'auth.login', 'admin', 'admin-of-acme'))).toMatchObject({ code: 2950 });
    await server.postgres.end('kill');
    expect(await faultOf(admin('system.listSystems'))).toMatchObject({ code: -1 });
    await server.postgres.start();
    expect(await admin('system.listSystems')).toHaveLength(59);
  });

  it('leaves nothing behind when it stops', async () => {
    const other = await startServer({ fqdn: 'node2.acme.test' });
    const folders = [other.root, other.postgres.folder];
    expect(folders.map((folder) => existsSync(folder))).toEqual([true, true]);
    await other.stop();
    expect(folders.map((folder) => existsSync(folder))).toEqual([false, false]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { minuteMs } from '../../lib/core/time.ts';
import { nameOf } from '../../tools/support/uyuni/fill.ts';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { aMinion } from '../../tools/support/uyuni/salt/minion.ts';
import { register } from '../../tools/support/uyuni/salt/register.ts';
import { fpOf, KeptSite } from '../support/a-metadata-keeper.ts';
import { logIn } from '../support/uyuni-api.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

describeWithPostgres('a keeper of metadata', () => {
  let server: PlayedServer;
  let admin: Awaited<ReturnType<typeof logIn>>;
  let site: KeptSite;
  let count = 0;
  let [minion, sid] = ['', 0];

  beforeAll(async () => {
    server = await startServer({ systems: 60 });
    admin = await logIn(server.url);
  });
  afterAll(() => server?.stop());
  /** Each test has a server of its own to look at: a system that was just registered, and one client system. */
  beforeEach(async () => {
    minion = `web${++count}.acme.test`;
    sid = (await register(server.database, aMinion(minion)))?.sid ?? 0;
    site = new KeptSite(mkdtempSync(join(tmpdir(), 'muster-keeper-')), server.url);
    site.hasHere(minion);
  });
  afterEach(() => {
    Object.assign(server.troubles, { delayMs: 0, hangs: false, refusesLogin: false, isAway: false });
    rmSync(site.home, { recursive: true, force: true });
  });

  const notes = async () => ((await admin('system.listNotes', sid)) as { subject: string }[]).map(({ subject }) => subject);
  const formerNode = { node: 'node0.acme.test', type: 'reboot', summary: 'Reboot', status: 'Completed', completed: '2026-01-01T00:00:00Z' };
  /** What Muster has of the client system from another node. */
  const moved = (documents: Readonly<Record<string, unknown>> = { groups: ['moved'], notes: [{ subject: 'Was', text: 'elsewhere' }] }) => {
    for (const [kind, document] of Object.entries(documents)) site.muster.set(fpOf(minion), kind, document);
  };

  describe('that reports', () => {
    it('puts each document that has changed once, and asks Muster nothing while nothing has', async () => {
      expect(await site.reportsOf(minion)).toEqual(['read', 'put settings']);
      await admin('system.addNote', sid, 'A', 'note');
      expect(await site.reportsOf(minion)).toEqual(['read', 'put notes']);
      expect(await site.reportsOf(minion)).toEqual([]);
      expect(site.muster.documents(fpOf(minion))).toMatchObject({ notes: [{ subject: 'A', text: 'note' }], settings: { name: minion } });
      await admin('system.deleteNotes', sid);
      expect(await site.reportsOf(minion)).toEqual(['read', 'put notes']);
      expect(site.muster.documents(fpOf(minion))['notes']).toEqual([]);
    });

    it('makes no new revision where Muster has the same, after its memory is lost', async () => {
      await site.reportsOf(minion);
      const { revision } = await site.muster.read(fpOf(minion));
      rmSync(join(site.home, 'uyuni-metadata'), { recursive: true });
      site.restarted();
      expect(await site.reportsOf(minion)).toEqual(['read']);
      expect(await site.muster.read(fpOf(minion))).toMatchObject({ revision });
    });

    it('does not replace what a system that came from another node had, before that was applied here', async () => {
      moved();
      const before = site.muster.documents(fpOf(minion));
      await site.reportsOf(minion);
      expect(site.muster.documents(fpOf(minion))).toMatchObject(before);
      site.nowMs += minuteMs;
      await site.pass();
      expect(site.muster.documents(fpOf(minion))).toMatchObject(before);
      expect(await site.apply(minion)).toEqual({ ok: true });
      expect(await site.pass(), 'nothing of what was applied comes back as a change').toEqual([]);
      await admin('system.addNote', sid, 'New', 'note');
      expect(await site.reportsOf(minion)).toEqual(['read', 'put notes']);
    });

    it('does not replace what a system had that was deleted here and registered anew: that is applied again', async () => {
      await admin('system.setCustomValues', sid, { owner: 'me' });
      await site.apply(minion);
      await site.pass();
      await admin('system.deleteSystems', [sid], 'FORCE_DELETE');
      expect(await site.reportsOf(minion), 'what is deleted is not reported').toEqual([]);
      // The registration is told apart by its second at the least.
      await server.database.rows(`SELECT pg_sleep(1.1)`);
      const anew = (await register(server.database, aMinion(minion)))?.sid ?? 0;
      site.nowMs += minuteMs;
      expect(await site.reportsOf(minion)).toEqual(['read']);
      expect(site.here.find(minion)?.appliedAt, 'it is to be applied again').toBeUndefined();
      await site.apply(minion);
      expect(await admin('system.getCustomValues', anew)).toEqual({ owner: 'me' });
    });

    it('applies what Muster has again, after the server was restored from an earlier state', async () => {
      await admin('system.setCustomValues', sid, { owner: 'before' });
      await site.apply(minion);
      await site.pass();
      await admin('system.setCustomValues', sid, { owner: 'after' });
      await site.reportsOf(minion);
      await admin('system.setCustomValues', sid, { owner: 'before' });
      site.keeper.restored();
      site.restarted().changed([{ kind: 'everything', why: 'a restore' }]);
      expect(await site.pass()).toEqual(['read']);
      expect(site.here.find(minion)?.appliedAt).toBeUndefined();
      await site.apply(minion);
      expect(await admin('system.getCustomValues', sid)).toEqual({ owner: 'after' });
      expect(await site.pass()).toEqual(['read']);
    });

    it('appends each action that has ended once, whatever was remembered', async () => {
      await server.database.rows(`UPDATE rhnserveraction SET status = 2, completion_time = '2026-02-03 04:05:06+00' WHERE server_id = $1`, [
        sid,
      ]);
      expect(await site.reportsOf(minion)).toEqual(['read', 'put settings', 'append 1 to actions']);
      rmSync(join(site.home, 'uyuni-metadata'), { recursive: true });
      site.restarted();
      expect(await site.reportsOf(minion)).toEqual(['read']);
      expect(site.muster.documents(fpOf(minion))['actions']).toMatchObject([
        { node: 'node1.acme.test', status: 'Completed', completed: '2026-02-03T04:05:06.000Z' },
      ]);
    });

    it('looks at everyone here after a change of unknown systems, one after another, and goes on after a crash', async () => {
      const all = Array.from({ length: 20 }, (_, n) => nameOf('uyuni1', n + 1));
      site.hasHere(...all);
      site.keeper.changed([{ kind: 'everything', why: 'a restore' }]);
      site.restarted();
      await site.pass();
      expect(all.filter((one) => site.muster.systems.get(fpOf(one))?.kinds['settings'])).toEqual(all);
    });

    it('reports a document that Muster refuses in words, once, and the others', async () => {
      site.muster.answers.push({ is: 'refused', why: 'too-large: it has 70,000 bytes' });
      await admin('system.addNote', sid, 'A', 'note');
      expect(await site.reportsOf(minion)).toEqual(['read', 'put notes', 'put settings']);
      expect(site.lines).toEqual([`the metadata of ${minion} cannot be reported: notes: too-large: it has 70,000 bytes`]);
    });
  });

  describe('that applies', () => {
    it('gives a system all that it had, makes what is missing, and takes away what its registration gave it beyond', async () => {
      await admin('systemgroup.addOrRemoveSystems', 'web', [sid], true);
      await admin('configchannel.create', 'one', 'One', 'one');
      await admin('configchannel.create', 'two', 'Two', 'two');
      await admin('system.config.addChannels', [sid], ['one'], true);
      moved({
        channels: { base: 'leap-x86_64', children: ['leap-updates-x86_64', 'leap-tools-x86_64'] },
        groups: ['ein “Name” mit Ü & <x>', 'database'],
        'custom-values': { 'new-key': 'α', owner: '' },
        formulas: { locale: { zone: 'UTC' }, tuned: {} },
        'configuration-channels': ['two', 'one'],
        settings: {
          name: 'renamed',
          description: 'A server',
          locked: true,
          entitlements: ['monitoring_entitled'],
          place: { rack: 'r1' },
          autoErrataUpdate: false,
          contactMethod: 'default',
        },
      });
      expect(await site.apply(minion)).toEqual({ ok: true });
      expect(await site.pass(), 'there is nothing to report').toEqual(['read']);
      expect(await admin('system.getDetails', sid)).toMatchObject({
        ...{ profile_name: 'renamed', description: 'A server', lock_status: true, rack: 'r1', addon_entitlements: ['monitoring_entitled'] },
      });
      expect(await admin('system.config.listChannels', sid)).toMatchObject([{ label: 'two' }, { label: 'one' }]);
      expect(await admin('system.getCustomValues', sid)).toEqual({ 'new-key': 'α', owner: '' });
      expect(await admin('system.listSubscribedChildChannels', sid)).toHaveLength(2);
      expect(((await admin('system.listGroups', sid)) as { subscribed: number }[]).filter(({ subscribed }) => subscribed)).toHaveLength(2);
    });

    it('doubles nothing when it was killed after it had applied and before it had remembered', async () => {
      moved({ notes: [{ subject: 'Was', text: 'elsewhere' }], groups: ['kept'], actions: [formerNode] });
      await site.apply(minion);
      rmSync(join(site.home, 'uyuni-metadata'), { recursive: true });
      site.restarted();
      expect(await site.apply(minion)).toEqual({ ok: true });
      expect(await notes()).toEqual(['Was', 'Actions on other nodes']);
    });

    it('keeps what was changed here and is not yet reported, when another kind has changed in Muster', async () => {
      await site.reportsOf(minion);
      await admin('system.setCustomValues', sid, { owner: 'mine' });
      moved({ groups: ['by-an-administrator'] });
      expect(await site.apply(minion)).toEqual({ ok: true });
      expect(await admin('system.getCustomValues', sid)).toEqual({ owner: 'mine' });
      expect(await site.pass()).toEqual(['read', 'put custom-values']);
    });

    it('says what the server does not have, applies the rest, and is done once that is there', async () => {
      moved({ channels: { base: 'leap-x86_64', children: ['leap-extra'] }, formulas: { unheard: {}, locale: {} }, groups: ['web'] });
      const why = 'channels: this server does not have the channel leap-extra; formulas: this server does not have the formula unheard';
      expect(await site.apply(minion)).toEqual({ ok: false, why });
      expect(await admin('formula.getFormulasByServerId', sid)).toEqual(['locale']);
      expect(await admin('system.getSubscribedBaseChannel', sid)).toMatchObject({ label: 'leap-x86_64' });
      await admin('systemgroup.addOrRemoveSystems', 'database', [sid], true);
      expect(await site.reportsOf(minion), 'what was applied can be reported, what waits cannot').toEqual([
        'read',
        'put groups',
        'put settings',
      ]);
      await admin('channel.software.create', 'leap-extra', 'Leap extra', 'Extra', 'channel-x86_64', 'leap-x86_64');
      moved({ formulas: { locale: {} } });
      expect(await site.apply(minion)).toEqual({ ok: true });
      expect(await admin('system.listSubscribedChildChannels', sid)).toMatchObject([{ label: 'leap-extra' }]);
    });

    it('leaves a document of another form alone, and says so', async () => {
      moved({ groups: { not: 'a list' }, 'something-else': [1] });
      expect(await site.apply(minion)).toEqual({ ok: false, why: 'groups: the document in Muster has another form than this agent knows' });
      await site.reportsOf(minion);
      expect(site.muster.documents(fpOf(minion))['groups']).toEqual({ not: 'a list' });
    });

    it('waits for a system that is not registered yet', async () => {
      const why = 'the server has not registered it yet';
      site.hasHere('late.acme.test');
      expect(await site.apply('late.acme.test')).toEqual({ ok: false, why });
      await register(server.database, aMinion('late.acme.test'));
      site.nowMs += minuteMs;
      expect(await site.apply('late.acme.test')).toEqual({ ok: true });
    });
  });

  describe('whose server cannot be called', () => {
    it('logs that it is away once, tries again, and loses nothing', async () => {
      await site.reportsOf(minion);
      await admin('system.addNote', sid, 'Meanwhile', 'note');
      server.troubles.isAway = true;
      expect(await site.reportsOf(minion)).toEqual([]);
      expect(await site.apply(minion)).toMatchObject({ ok: false, isDown: true });
      site.nowMs += minuteMs;
      server.troubles.isAway = false;
      server.troubles.hangs = true;
      expect(await site.pass()).toEqual([]);
      server.troubles.hangs = false;
      site.nowMs += minuteMs;
      expect(await site.pass()).toEqual(['read', 'put notes']);
      expect(site.lines).toEqual([
        expect.stringContaining('does not answer (status 503, and no answer of the API)'),
        expect.stringMatching(/does not answer \(.*timeout.*\): the server may be restarting; trying again$/),
        `the API of the Uyuni server at ${server.url} answers again`,
      ]);
    });

    it('explains a password that is refused, never shows it, and takes another one at once', async () => {
      site.account({ address: server.url, login: 'admin', password: 'a wrong secret' });
      await site.reportsOf(minion);
      site.nowMs += 2 * minuteMs;
      await site.pass();
      expect(site.lines).toEqual([
        `the Uyuni server at ${server.url} refuses the login of admin (Either the password or username is incorrect.): ` +
          'correct login and password in the file of --uyuni-account; trying again',
      ]);
      site.account({ address: server.url, login: 'admin', password: 'admin-of-acme' });
      site.nowMs += 2 * minuteMs;
      expect(await site.pass()).toEqual(['read', 'put settings']);
    });

    it('refuses a file of an account that others may read, or that is none', async () => {
      site.account({ address: server.url, login: 'admin', password: 'x' }, 0o644);
      await site.reportsOf(minion);
      for (const content of [{ login: 'admin' }, { login: 'a', password: 'b', address: 'http://uyuni.example.org' }]) {
        site.account(content);
        site.nowMs += 2 * minuteMs;
        await site.pass();
      }
      expect(site.lines).toEqual([
        expect.stringContaining('other users may read'),
        expect.stringContaining('is not a JSON object with login and password'),
        expect.stringContaining('without TLS beyond this machine'),
      ]);
    });

    it('begins another session when its own has expired', async () => {
      await site.reportsOf(minion);
      await server.database.rows('DELETE FROM pxtsessions');
      await server.database.rows(
        `INSERT INTO rhnservernotes (id, server_id, subject, note) VALUES (nextval('rhn_server_note_id_seq'), $1, 'A', 'b')`,
        [sid],
      );
      expect(await site.reportsOf(minion)).toEqual(['read', 'put notes']);
      expect(site.lines).toEqual([]);
      admin = await logIn(server.url);
    });
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { DateTime } from '../../lib/uyuni/xml-rpc/value.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { completed } from '../../tools/support/uyuni/salt/register.ts';
import { PlayedSystem, UyuniSite } from '../support/a-uyuni-site.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

const minion = 'web.acme.test';
const earliest = new DateTime('20260101T00:00:00');

describeWithPostgres('the metadata of client systems on Uyuni servers', () => {
  let host: TestHost;
  let operator: ApiClient;
  let system: PlayedSystem;
  const sites: UyuniSite[] = [];

  beforeAll(async () => {
    host = await aHost({ beatMinMs: 250 });
    operator = apiAt(host.url);
  });
  afterAll(async () => {
    for (const site of sites) await site.destroy();
    await host?.stop();
  });

  const aSite = async (fqdn: string): Promise<UyuniSite> => {
    const site = await UyuniSite.start(fqdn, host.url);
    sites.push(site);
    return site;
  };
  /** What Muster has of one kind, with its revision. */
  const held = async (fp: Fingerprint, kind: string): Promise<{ revision: number; document: unknown } | undefined> => {
    const answer = await operator(contract.getMetadata, { params: { fp, kind: kind as never } });
    return answer.ok ? answer.body : undefined;
  };
  const documents = async (fp: Fingerprint) => {
    const answer = await operator(contract.listMetadata, { params: { fp } });
    const kinds = answer.ok ? answer.body.items.map(({ kind }) => kind) : [];
    return Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await held(fp, kind)] as const)));
  };
  const sidOn = (site: UyuniSite) => eventually(`${minion} is registered`, () => site.sid(minion), 40_000);

  it('are all there on the next node when the first is lost, and the history of actions is merged', { timeout: 180_000 }, async () => {
    const a = await aSite('node1.acme.test');
    const agent = await a.startAgent();
    system = new PlayedSystem(minion, host.url);
    await system.knock();
    await operator(contract.accept, { body: { systems: [system.fp] } });
    await system.moveTo(a);
    const sid = await sidOn(a);
    await agent.says(`applied the metadata of ${minion}`, 40_000);

    const { admin } = a;
    await admin('system.setBaseChannel', sid, 'sles-x86_64');
    await admin('system.setChildChannels', sid, ['sles-tools-x86_64']);
    await admin('system.addNote', sid, 'Moved', 'From the other rack: “B” & <C>');
    await admin('systemgroup.create', 'canary', 'The first');
    await admin('systemgroup.addOrRemoveSystems', 'canary', [sid], true);
    await admin('system.custominfo.createKey', 'rack', 'Where it is');
    await admin('system.setCustomValues', sid, { rack: 'r7' });
    await admin('formula.setFormulasOfServer', sid, ['tuned']);
    await admin('formula.setSystemFormulaData', sid, 'tuned', { profile: 'fast', limits: { b: 1, a: [2, 3] } });
    await admin('system.setLockStatus', sid, true);
    const action = await admin('system.scheduleApplyHighstate', sid, earliest, false);
    await completed(a.server.database, [Number(action)]);

    await eventually('Muster has all of it', async () => {
      const { channels, formulas, actions } = await documents(system.fp);
      const isComplete = JSON.stringify(actions?.document ?? []).includes('Apply states');
      return isComplete && JSON.stringify([channels, formulas]).includes('sles-tools') && JSON.stringify(formulas).includes('fast');
    });
    await eventually('the rest, too', async () => (await held(system.fp, 'settings'))?.document, 5_000);
    const before = await documents(system.fp);
    expect(before).toMatchObject({
      channels: { document: { base: 'sles-x86_64', children: ['sles-tools-x86_64'] } },
      notes: { document: [{ subject: 'Moved', text: 'From the other rack: “B” & <C>' }] },
      groups: { document: ['canary'] },
      'custom-values': { document: { rack: 'r7' } },
      formulas: { document: { tuned: { profile: 'fast', limits: { a: [2, 3], b: 1 } } } },
      settings: { document: { locked: true } },
    });

    const b = await aSite('node2.acme.test');
    const next = await b.startAgent();
    await a.destroy();
    sites.shift();
    await system.moveTo(b);
    const there = await sidOn(b);
    await next.says(`applied the metadata of ${minion}`, 60_000);

    expect(await b.admin('system.getSubscribedBaseChannel', there)).toMatchObject({ label: 'sles-x86_64' });
    expect(await b.admin('system.listSubscribedChildChannels', there)).toMatchObject([{ label: 'sles-tools-x86_64' }]);
    expect(await b.admin('system.listNotes', there)).toMatchObject([
      { subject: 'Moved', note: 'From the other rack: “B” & <C>' },
      { subject: 'Actions on other nodes' },
    ]);
    expect(await b.admin('systemgroup.listSystemsMinimal', 'canary')).toMatchObject([{ id: there }]);
    expect(await b.admin('system.getCustomValues', there)).toEqual({ rack: 'r7' });
    expect(await b.admin('formula.getFormulasByServerId', there)).toEqual(['tuned']);
    expect(await b.admin('formula.getSystemFormulaData', there, 'tuned')).toEqual({ profile: 'fast', limits: { a: [2, 3], b: 1 } });
    expect(await b.admin('system.getDetails', there)).toMatchObject({ lock_status: true });
    const history = await eventually('the history has actions of both nodes', async () => {
      const { document = [] } = (await held(system.fp, 'actions')) ?? {};
      return JSON.stringify(document).includes('node2.acme.test') && (document as { node: string; summary: string }[]);
    });
    expect(history.map(({ node, summary }) => `${node}: ${summary}`)).toEqual([
      expect.stringMatching(/^node1.acme.test: Hardware/),
      'node1.acme.test: Apply states',
      expect.stringMatching(/^node2.acme.test: Hardware/),
    ]);
    const { actions: _history, ...now } = await documents(system.fp);
    const { actions: _before, ...then } = before;
    expect(now, 'what was applied is not reported as a change').toEqual(then);
  });

  it('are applied once, although the agent is killed between applying and remembering, and its server is away', {
    timeout: 180_000,
  }, async () => {
    const [b] = sites;
    if (!b) throw new Error('there is no second server');
    const sid = await sidOn(b);
    const titles = async () =>
      (await b.server.database.rows<{ subject: string }>('SELECT subject FROM rhnservernotes WHERE server_id = $1 ORDER BY id', [sid])).map(
        ({ subject }) => subject,
      );
    const before = await titles();
    b.server.troubles.delayMs = 250;
    const notes = (await held(system.fp, 'notes'))?.document as object[];
    const body = { document: [...notes, { subject: 'By an operator', text: 'once' }] };
    await operator(contract.putMetadata, { params: { fp: system.fp, kind: 'notes' as never }, body });
    const settings = (await held(system.fp, 'settings'))?.document as object;
    await operator(contract.putMetadata, {
      params: { fp: system.fp, kind: 'settings' as never },
      body: { document: { ...settings, locked: false } },
    });
    await eventually('it is applied', async () => (await titles()).length > before.length, 60_000);
    await b.killAgent();
    Object.assign(b.server.troubles, { delayMs: 0, isAway: true });
    const agent = await b.startAgent();
    await agent.says('does not answer (status 503', 40_000);
    b.server.troubles.isAway = false;
    await eventually(
      'the rest is applied',
      async () => ((await b.admin('system.getDetails', sid)) as { lock_status: boolean }).lock_status === false,
      60_000,
    );
    await agent.says('answers again');
    expect(await titles()).toEqual([...before, 'By an operator']);
    expect(agent.said().split('does not answer')).toHaveLength(2);
    expect((await held(system.fp, 'notes'))?.document).toContainEqual({ subject: 'By an operator', text: 'once' });
  });
});

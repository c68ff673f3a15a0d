import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import type { What } from '../../lib/clients/actions/rows/what.ts';
import { contract } from '../../lib/contract.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { completed } from '../../tools/support/uyuni/salt/register.ts';
import { UyuniSite } from '../support/a-uyuni-site.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

describeWithPostgres('actions on the client systems of Uyuni servers', () => {
  let host: TestHost;
  let operator: ApiClient;
  let one: UyuniSite;
  let two: UyuniSite;
  let fps: Fingerprint[];

  const ok = async <T>(asked: Promise<{ ok: true; body: T } | { ok: false; problem: { detail?: string | undefined } }>): Promise<T> => {
    const answer = await asked;
    if (!answer.ok) throw new Error(answer.problem.detail);
    return answer.body;
  };

  beforeAll(async () => {
    host = await aHost({ beatMinMs: 250 });
    operator = apiAt(host.url);
    await operator(contract.addAdmissionRule, { body: { name: 'servers', nodes: '*.acme.test' } });
    one = await UyuniSite.start('node1.acme.test', host.url);
    two = await UyuniSite.start('node2.acme.test', host.url);
    for (const site of [one, two]) {
      await site.startAgent();
      const { fqdn: id } = site.server;
      await eventually(`${id} is up`, async () => (await ok(operator(contract.getNode, { params: { id } }))).status === 'up');
      // Both servers play systems of the same names, as two copies of one database would have.
      await ok(operator(contract.adoptSystems, { params: { id }, body: { duplicates: true } }));
      await eventually('its systems are adopted', async () => (await ok(operator(contract.adoption, { params: { id } }))).state === 'done');
    }
    fps = (await ok(operator(contract.listSystems, {}))).items.map(({ fp }) => fp as Fingerprint);
  }, 120_000);
  afterAll(async () => {
    for (const site of [one, two]) await site?.destroy();
    await host?.stop();
  });

  const ordered = async (action: What, systems = fps): Promise<number> => {
    const { action: number, results } = await ok(operator(contract.actOnSystems, { body: { systems: [...systems], action } }));
    expect(results.filter(({ done }) => !done)).toEqual([]);
    return number!;
  };
  const shown = (number: number) => ok(operator(contract.systemAction, { params: { number: String(number) } }));
  const until = async (number: number, what: string, is: (now: Awaited<ReturnType<typeof shown>>) => boolean) => {
    await eventually(`action ${number} ${what}`, async () => is(await shown(number)), 60_000);
    return shown(number);
  };
  const isScheduled = ({ nodes }: Awaited<ReturnType<typeof shown>>): boolean => nodes.every(({ state }) => state === 'scheduled');
  const actionsOn = ({ server }: UyuniSite, type: string) =>
    server.database.rows<{ id: number; systems: number }>(
      `SELECT a.id, count(*)::int AS systems FROM rhnaction a JOIN rhnactiontype t ON t.id = a.action_type
       JOIN rhnserveraction sa ON sa.action_id = a.id WHERE t.label = $1 GROUP BY a.id ORDER BY a.id`,
      [type],
    );

  it('are one action, scheduled once on each server, and followed until the last has ended', { timeout: 120_000 }, async () => {
    expect(fps).toHaveLength(6);
    const number = await ordered({ do: 'highstate', test: false });
    const scheduled = await until(number, 'is scheduled', isScheduled);
    expect(scheduled).toMatchObject({ state: 'under-way', systems: 6, inProgress: 6 });
    const [[here], [there]] = [await actionsOn(one, 'states.apply'), await actionsOn(two, 'states.apply')];
    expect([here?.systems, there?.systems]).toEqual([3, 3]);
    const { parts } = await ok(operator(contract.getAction, { params: { number: String(number) } }));
    expect(new Set(parts)).toEqual(
      new Set([
        { node: 'node1.acme.test', id: here!.id },
        { node: 'node2.acme.test', id: there!.id },
      ]),
    );
    await completed(one.server.database, [here!.id]);
    await two.server.database.rows(
      `UPDATE rhnserveraction SET status = 3, result_msg = 'no space left' WHERE action_id = $1
       AND server_id = (SELECT min(server_id) FROM rhnserveraction WHERE action_id = $1)`,
      [there!.id],
    );
    expect(await until(number, 'goes on', ({ failed, done }) => failed === 1 && done === 3)).toMatchObject({
      ...{ state: 'under-way', inProgress: 2 },
      examples: [{ is: 'failed', why: 'no space left' }],
    });
    await two.server.database.rows('UPDATE rhnserveraction SET status = 2 WHERE action_id = $1 AND status = 0', [there!.id]);
    expect(await until(number, 'ends', ({ state }) => state === 'ended')).toMatchObject({ done: 5, failed: 1, inProgress: 0 });
  });

  it('are scheduled once although the agent is killed as soon as the server has them', { timeout: 120_000 }, async () => {
    // What a server has scheduled by itself names no scheduler, and is nobody's.
    const [own] = await one.server.database.rows<{ id: number }>(
      `INSERT INTO rhnaction (id, org_id, action_type, name, earliest_action)
       SELECT nextval('rhn_event_id_seq'), (SELECT min(org_id) FROM rhnserver), id, name, now()
       FROM rhnactiontype WHERE label = 'packages.update' RETURNING id`,
    );
    const listed = (await one.admin('schedule.listAllActions')) as { id: number }[];
    expect(listed.find(({ id }) => id === own!.id)).not.toHaveProperty('scheduler');
    const before = (await actionsOn(one, 'packages.update')).length;
    const number = await ordered({ do: 'packages' });
    await eventually('the server has it', async () => (await actionsOn(one, 'packages.update')).length > before);
    await one.killAgent();
    await one.startAgent();
    await until(number, 'is scheduled', isScheduled);
    expect(await actionsOn(one, 'packages.update')).toHaveLength(before + 1);
    expect((await shown(number)).nodes.map(({ id }) => id)).toEqual([
      (await actionsOn(one, 'packages.update')).at(-1)!.id,
      (await actionsOn(two, 'packages.update')).at(-1)!.id,
    ]);
  });

  it('are an action for each client system where the server takes one at a time, and run commands', { timeout: 120_000 }, async () => {
    const reboot = await ordered({ do: 'reboot' });
    const command = await ordered({ do: 'command', script: '#!/bin/sh\nuptime\n', user: 'root', group: 'root', timeoutSeconds: 60 });
    await until(reboot, 'is scheduled', isScheduled);
    await until(command, 'is scheduled', isScheduled);
    expect((await actionsOn(one, 'reboot.reboot')).map(({ systems }) => systems)).toEqual([1, 1, 1]);
    expect(await actionsOn(two, 'script.run')).toMatchObject([{ systems: 3 }]);
    const [run] = await actionsOn(one, 'script.run');
    await one.admin('schedule.cancelActions', [run!.id]);
    const after = await until(command, 'is cancelled there', ({ cancelled }) => cancelled === 3);
    expect(after).toMatchObject({ inProgress: 3, nodes: [{ state: 'ended' }, { state: 'scheduled' }] });
  });

  it('apply errata to those that need them, and say of a server that lacks one that it does', { timeout: 120_000 }, async () => {
    await one.server.database.rows(
      `INSERT INTO rhnerrata (id, advisory, advisory_type, advisory_name, advisory_rel, product, synopsis, solution)
       VALUES (nextval('rhn_errata_id_seq'), 'SUSE-9', 'Security Advisory', 'SUSE-9', 1, 'SLES', 'a fix', 'install it')`,
    );
    await one.server.database.rows(
      `INSERT INTO rhnchannelerrata (channel_id, errata_id) SELECT min(channel_id), (SELECT id FROM rhnerrata WHERE advisory_name = 'SUSE-9')
       FROM rhnserverchannel WHERE server_id = (SELECT min(server_id) FROM suseminioninfo)`,
    );
    const number = await ordered({ do: 'errata', advisories: ['SUSE-9'] });
    const ended = await until(number, 'is refused by one', ({ left }) => left >= 3);
    expect(ended.examples.map(({ why }) => why)).toContain(
      'this server does not have SUSE-9 (errata.getDetails: The errata SUSE-9 cannot be found.)',
    );
    const patch = await eventually('the other has it', async () => (await actionsOn(one, 'errata.update'))[0], 20_000);
    await completed(one.server.database, [patch.id]);
    const { done, left, state } = await until(number, 'ends', (now) => now.state === 'ended');
    expect({ done, left, state }).toEqual({ done: patch.systems, left: 6 - patch.systems, state: 'ended' });
  });

  it('are left where their server refuses to schedule, with what it says, and go on elsewhere', { timeout: 120_000 }, async () => {
    await two.server.database.rows(`UPDATE rhnactiontype SET label = 'none' WHERE label = 'packages.update'`);
    const number = await ordered({ do: 'packages' });
    const after = await until(number, 'is refused by one', ({ nodes }) =>
      nodes.every(({ state }) => state === 'ended' || state === 'scheduled'),
    );
    expect(after).toMatchObject({ left: 3, inProgress: 3, nodes: [{ state: 'scheduled' }, { state: 'ended', left: 3 }] });
    expect(new Set(after.examples.map(({ why }) => why))).toEqual(
      new Set(['the server refuses it (unhandled internal exception: there is no action packages.update)']),
    );
  });
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { DateTime, type Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { administrator, type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { type AGateway, aGateway, resultOf, sendTo } from '../support/a-gateway.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

const names = ['node1.acme.test', 'node2.acme.test'] as const;
const systems = 12;
const first = 1_000_010_000;
const earliest = new DateTime('20310501T12:00:00');
/** The cluster id of the nth system of the second server. */
const there = (n: number): number => 1_500_000_000 + n;

/** Calls that read, as spacecmd makes them for one system and for common content. */
const reading = (sid: number): readonly (readonly [string, ...Value[]])[] => [
  ['api.getVersion'],
  ['api.systemVersion'],
  ['user.listAssignableRoles'],
  ['user.listUsers'],
  ['user.getDetails', 'admin'],
  ['user.getDetails', 'nobody'],
  ['org.listOrgs'],
  ['channel.listAllChannels'],
  ['channel.listSoftwareChannels'],
  ['channel.software.getDetails', 'leap-x86_64'],
  ['channel.software.getDetails', 'no-such-channel'],
  ['channel.software.listErrata', 'leap-x86_64'],
  ['configchannel.listGlobals'],
  ['activationkey.listActivationKeys'],
  ['contentmanagement.listProjects'],
  ['maintenance.listScheduleNames'],
  ['formula.listFormulas'],
  ['system.custominfo.listAllKeys'],
  ['system.getDetails', sid],
  ['system.get_details', sid],
  ['system.listNotes', sid],
  ['system.getCustomValues', sid],
  ['system.getEntitlements', sid],
  ['system.listGroups', sid],
  ['system.getSubscribedBaseChannel', sid],
  ['system.listSubscribedChildChannels', sid],
  ['system.config.listChannels', sid],
  ['system.getEventHistory', sid],
  ['formula.getFormulasByServerId', sid],
];

/** Calls about all systems, and calls that only one server answers. */
const ofOneServer = (sid: number): readonly (readonly [string, ...Value[]])[] => [
  ['system.listSystems'],
  ['system.listActiveSystems'],
  ['systemgroup.listAllGroups'],
  ['systemgroup.getDetails', 'web'],
  ['systemgroup.listSystems', 'web'],
  ['channel.software.listSubscribedSystems', 'leap-x86_64'],
  ['saltkey.acceptedList'],
  ['schedule.listAllActions'],
  ['systemgroup.getDetails', 4_711],
  ['system.getDetails', 17],
  ['system.getDetails'],
  ['system.getDetails', sid, 'too many'],
  ['no.such.method', sid],
];

const named = (calls: readonly (readonly [string, ...Value[]])[]) => calls.map(([method, ...params]) => ({ method, params }));

describeWithPostgres('a gateway before played Uyuni servers', () => {
  let servers: PlayedServer[];
  let gateways: { readonly one: AGateway; readonly two: AGateway };
  let keys: { readonly direct: Value; readonly one: Value; readonly two: Value };
  const signIn = async (url: string): Promise<Value> =>
    resultOf((await sendTo(url, callText('auth.login', [administrator.login, administrator.password]))).read());

  beforeAll(async () => {
    servers = await Promise.all(names.map((fqdn) => startServer({ fqdn, systems })));
    const nodes = servers.map(({ url }, n) => ({ name: names[n]!, url }));
    const places = Array.from({ length: systems }, (_, n) => [
      [first + n, names[0], first + n] as const,
      [there(n), names[1], first + n] as const,
    ]).flat();
    gateways = { one: await aGateway(nodes.slice(0, 1)), two: await aGateway(nodes, { places }) };
    keys = { direct: await signIn(servers[0]!.url), one: await signIn(gateways.one.url), two: await signIn(gateways.two.url) };
  });
  afterAll(async () => {
    await gateways?.one.close();
    await gateways?.two.close();
    await Promise.all(servers?.map((server) => server.stop()) ?? []);
  });

  it.each(named([...reading(first), ...ofOneServer(first)]))(
    'answers $method $params as the only server does itself',
    async ({ method, params }) => {
      const bare = method.startsWith('api.');
      const own = await sendTo(servers[0]!.url, callText(method, bare ? params : [keys.direct, ...params]));
      const ours = await gateways.one.send(callText(method, bare ? params : [keys.one, ...params]));
      expect(ours.text).toBe(own.text);
    },
  );

  it.each(named(reading(there(3))))('answers $method $params for two servers, and names none as failed', async ({ method, params }) => {
    const sent = await gateways.two.send(callText(method, method.startsWith('api.') ? params : [keys.two, ...params]));
    expect(sent.headers['x-muster-failed']).toBeUndefined();
    const about = params.includes(there(3)) ? servers[1]! : servers[0]!;
    const own = (
      await sendTo(
        about.url,
        callText(
          method,
          method.startsWith('api.') ? params : [await signIn(about.url), ...params.map((one) => (one === there(3) ? first + 3 : one))],
        ),
      )
    ).read();
    const [read, kind] = [sent.read(), own.ok];
    expect(read.ok).toBe(kind);
    // Everything but numbers of systems and of common content, and counters over all servers, is as one server has it.
    if (params.includes(there(3)))
      expect(read).toEqual(JSON.parse(JSON.stringify(own), (_name, value: unknown) => (value === first + 3 ? there(3) : value)));
  });

  it('answers scripts of the hub about each server as that server does, but for numbers of systems', async () => {
    const ids = resultOf(await gateways.two.hub.call('hub.listServerIds', keys.two)) as number[];
    const sids = [first + 3, there(3)];
    const urlOf = (n: number): string => servers[n]!.url;
    const aboutOne = named(reading(first)).filter(({ params }) => params.length === 1 && params[0] === first);
    expect(aboutOne.length).toBeGreaterThan(8);
    for (const { method } of aboutOne) {
      const own = await Promise.all(
        ids.map(async (_id, n) => resultOf((await sendTo(urlOf(n), callText(method, [await signIn(urlOf(n)), first + 3]))).read())),
      );
      const answer = resultOf(await gateways.two.hub.call(`multicast.${method}`, keys.two, ids, sids));
      const translated = JSON.parse(JSON.stringify(own[1]), (_name, value: unknown) => (value === first + 3 ? there(3) : value));
      expect(JSON.parse(JSON.stringify(answer))).toEqual({
        Successful: { ServerIds: ids, Responses: [JSON.parse(JSON.stringify(own[0])), translated] },
        Failed: { ServerIds: [], Responses: [] },
      });
    }
  });

  it('lists every system of both servers once, by its number in the cluster', async () => {
    const ids = (resultOf(await gateways.two.call('system.listSystems', keys.two)) as { id: number }[]).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(
      Array.from({ length: systems }, (_, n) => [first + n, there(n)])
        .flat()
        .toSorted(),
    );
    const group = resultOf(await gateways.two.call('systemgroup.getDetails', keys.two, 'web'));
    expect(group).toMatchObject({ system_count: 6 });
  });

  it('changes a system where it lives, and no other', async () => {
    resultOf(await gateways.two.call('system.addNote', keys.two, there(2), 'Moved', 'by the gateway'));
    const notes = async (sid: number) =>
      (resultOf(await gateways.two.call('system.listNotes', keys.two, sid)) as { subject: string }[]).map(({ subject }) => subject);
    expect(await notes(there(2))).toContain('Moved');
    expect(await notes(first + 2)).not.toContain('Moved');
    expect(resultOf(await gateways.two.call('system.scheduleReboot', keys.two, there(2), earliest))).toBeTypeOf('number');
    expect(resultOf(await gateways.two.call('systemgroup.addOrRemoveSystems', keys.two, 'web', [first + 1, there(1)], true))).toBe(1);
    const inWeb = (resultOf(await gateways.two.call('systemgroup.listSystemsMinimal', keys.two, 'web')) as { id: number }[]).map(
      ({ id }) => id,
    );
    expect(inWeb).toEqual(expect.arrayContaining([first + 1, there(1)]));
  });

  it('schedules one action on both servers, and follows and cancels it by one number', async () => {
    const sids = [first + 4, there(4)];
    const number = resultOf(await gateways.two.call('system.scheduleApplyHighstate', keys.two, sids, earliest, false)) as number;
    const systemsOf = async () =>
      (resultOf(await gateways.two.call('schedule.listInProgressSystems', keys.two, number)) as { server_id: number }[]).map(
        ({ server_id }) => server_id,
      );
    expect(await systemsOf()).toEqual(sids);
    const listed = resultOf(await gateways.two.call('schedule.listInProgressActions', keys.two)) as { id: number }[];
    expect(listed.filter(({ id }) => id === number)).toEqual([expect.objectContaining({ inProgressSystems: 2 })]);
    expect(resultOf(await gateways.two.call('schedule.cancelActions', keys.two, [number]))).toBe(1);
    expect(await gateways.two.call('schedule.listInProgressSystems', keys.two, number)).toMatchObject({ ok: false, fault: { code: 2700 } });
  });

  it('goes on without a server that hangs, and with it again', async () => {
    servers[1]!.troubles.hangs = true;
    const sent = await gateways.two.send(callText('system.listSystems', [keys.two]), { 'x-deadline': '0.5' });
    expect(resultOf(sent.read())).toHaveLength(systems);
    expect(sent.headers['x-muster-failed']).toBe('node2.acme.test;deadline');
    servers[1]!.troubles.hangs = false;
    expect(resultOf(await gateways.two.call('system.listSystems', keys.two))).toHaveLength(2 * systems);
  });
});

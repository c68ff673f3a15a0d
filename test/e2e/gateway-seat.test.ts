import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withBearer } from '../../lib/api/bearer.ts';
import { type ApiClient, apiClient, Unreachable } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { Fqdn, type ZoneName } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import type { AdminScope } from '../../lib/identity/rights.ts';
import { directoryOf } from '../../lib/uyuni/gateway/directory.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import { type Seats, seatsOfMuster } from '../../programs/gateway/seats.ts';
import type { Host } from '../../programs/local/host.ts';
import { aNodeUp, type Beating, keepBeating } from '../../tools/support/actors.ts';
import { aHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aGateway, resultOf } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

const names = ['uyuni1.acme.org', 'uyuni2.acme.org'].map((name) => Fqdn.parse(name));
const params = { zone: defaultZone };

let host: Host;
let nodes: PlayedNode[];
const beating: Beating[] = [];
beforeAll(async () => {
  host = await aHost();
  for (const name of names) beating.push(keepBeating(await aNodeUp(host.url, name, 'uyuni'), 500));
  nodes = await Promise.all(names.map((name) => aPlayedNode(name, [])));
});
afterAll(async () => {
  for (const one of beating) await one.stop();
  for (const node of nodes) await node.close();
  await host.stop();
});

/** Muster as a gateway reaches it, with a key of these scopes; how often it was asked to edit. */
async function musterFor(...scopes: AdminScope[]): Promise<{ readonly api: ApiClient; readonly asked: () => number }> {
  const made = await apiAt(host.url)(contract.createKey, { body: { name: 'gateway', scopes } });
  if (!made.ok) throw new Error(made.problem.detail);
  const api = apiClient(host.url, { fetching: withBearer(() => made.body.secret) });
  let asked = 0;
  const counted: ApiClient = (route, sent) => {
    if (Object.is(route, contract.editContent)) asked++;
    return api(route, sent);
  };
  return { api: counted, asked: () => asked };
}

/** Seats as a gateway knows them whose servers are in these zones. */
function seatsBy(api: ApiClient, zones: readonly ZoneName[] = [defaultZone], now: () => number = Date.now) {
  const said: string[] = [];
  const servers = zones.map((zone, n) => ({ name: `uyuni${n + 1}.acme.org`, url: 'http://127.0.0.1:1', isUp: true, isInSync: true, zone }));
  const directory = directoryOf(servers, []);
  const seats = seatsOfMuster(api, { directory: () => directory, clock: { now: () => now() as EpochMs }, say: (line) => said.push(line) });
  return { seats, said };
}

const seatNow = async () => {
  const answer = await apiAt(host.url)(contract.getSeat, { params });
  return answer.ok ? answer.body.seat : undefined;
};
const signedIn = async (gateway: Awaited<ReturnType<typeof aGateway>>): Promise<string> =>
  resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
const callsOf = (method: string): string[] =>
  nodes.flatMap(({ name, calls }) => calls.filter((one) => one.method === method).map(() => name));

describe('a gateway that asks Muster where common content is edited', () => {
  let seats: Seats;
  let asked: () => number;
  beforeAll(async () => {
    const muster = await musterFor('number', 'edit');
    asked = muster.asked;
    ({ seats } = seatsBy(muster.api));
  });

  it('elects the server that is named, if nobody edits, and names it to all others', async () => {
    expect(await seats.seatFor({ login: 'ada', named: names[1]! })).toEqual({ node: names[1] });
    expect(await seats.seatFor({ login: 'ben', named: names[0]! })).toEqual({ node: names[1] });
    expect((await seatNow())?.editors).toMatchObject([{ who: 'ada' }, { who: 'ben' }]);
    for (const login of ['ada', 'ben', 'nobody']) seats.finished(login);
    await expect.poll(seatNow).toBeUndefined();
  });

  it('elects a seat by the first change, sends all to it, and asks no more for a while', async () => {
    const gateway = await aGateway(nodes, { seats });
    const key = await signedIn(gateway);
    const before = asked();
    for (const name of ['a', 'b', 'c']) expect(resultOf(await gateway.call('systemgroup.create', key, name, 'd'))).toMatchObject({ name });
    const seat = await seatNow();
    expect(callsOf('systemgroup.create')).toEqual([seat?.fqdn, seat?.fqdn, seat?.fqdn]);
    expect(seat?.editors).toMatchObject([{ who: 'admin', via: 'gateway' }]);
    expect(asked() - before).toBe(1);
    expect(resultOf(await gateway.call('auth.logout', key))).toBe(1);
    await expect.poll(seatNow).toBeUndefined();
    await gateway.close();
  });

  it('elects none for what only reads, or changes systems', async () => {
    const gateway = await aGateway(nodes, { seats });
    const key = await signedIn(gateway);
    await gateway.call('systemgroup.listAllGroups', key);
    expect(await seatNow()).toBeUndefined();
    await gateway.close();
  });

  it('asks for the only server as well, whose agent may have locked its content', async () => {
    const gateway = await aGateway(nodes.slice(1), { seats });
    const key = await signedIn(gateway);
    expect(resultOf(await gateway.call('systemgroup.create', key, 'alone', 'd'))).toMatchObject({ name: 'alone' });
    expect((await seatNow())?.fqdn).toBe(names[1]);
    await gateway.call('auth.logout', key);
    await gateway.close();
  });
});

describe('a change of common content is refused', () => {
  it.each<[string, () => Promise<Seats>, RegExp]>([
    ['with a key that may not edit', async () => seatsBy((await musterFor('number')).api).seats, /no server is named .*scope edit/],
    ['while Muster is away', async () => seatsBy(apiClient('http://127.0.0.1:1')).seats, /Muster does not say where that is edited/],
    [
      'where the servers are of several zones',
      async () => seatsBy((await musterFor('edit')).api, [defaultZone, 'emea' as ZoneName]).seats,
      /the servers are of several zones, .*: default, emea/,
    ],
  ])('%s', async (_what, seats, why) => {
    const gateway = await aGateway(nodes, { seats: await seats() });
    const key = await signedIn(gateway);
    const before = callsOf('systemgroup.create').length;
    expect(await gateway.call('systemgroup.create', key, 'n', 'd')).toMatchObject({
      ok: false,
      fault: { text: expect.stringMatching(why) },
    });
    expect(callsOf('systemgroup.create')).toHaveLength(before);
    await gateway.close();
  });
});

it('relies on a grant for less than it lasts, and says who could not be signed out', async () => {
  let ms = 0;
  const muster = await musterFor('edit');
  const away: ApiClient = (route, sent) =>
    Object.is(route, contract.finishEditing) ? Promise.reject(new Unreachable('the connection broke')) : muster.api(route, sent);
  const { seats, said } = seatsBy(away, [defaultZone], () => ms);
  for (const [at, asked] of [
    [0, 1],
    [160_000, 1],
    [170_000, 2],
  ] as const) {
    ms = at;
    await Promise.all([1, 2, 3].map(() => seats.seatFor({ login: 'ada' })));
    expect(muster.asked()).toBe(asked);
  }
  seats.finished('ada');
  await expect.poll(() => said).toEqual(['ada counts as an editor for a while: the connection broke']);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiClient, apiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import type { Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { actionsOfMuster } from '../../programs/gateway/actions-of-muster.ts';
import { directoryFrom } from '../../programs/gateway/nodes-of-muster.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { resultOf, sendTo } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';
import { aProgram, type Program } from '../support/program.ts';

const name = 'node1.acme.org';

let folder: string;
let host: TestHost;
let api: ApiClient;
let agent: Program;
let played: PlayedNode;
/** A key that may number actions and read, and a caller that has it. */
let key: string;
let holder: ApiClient;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-gateway-'));
  host = await aHost();
  api = apiAt(host.url);
  const made = await api(contract.createKey, { body: { name: 'gateway', scopes: ['number'] } });
  if (!made.ok) throw new Error(made.problem.detail);
  key = made.body.secret;
  holder = apiClient(host.url, { headers: { authorization: `Bearer ${key}` } });
  played = await aPlayedNode(name, [1_000_010_000]);
  agent = aProgram('programs/agent/main.ts', ['--endpoint', host.url, '--fqdn', name, '--kind', 'uyuni', '--home', join(folder, 'agent')]);
  const isUp = async () => {
    const node = await api(contract.getNode, { params: { id: name } });
    return node.ok && node.body.status === 'up';
  };
  await eventually('the node is up', isUp, 30_000);
});
afterAll(async () => {
  agent.child.kill('SIGKILL');
  await agent.ended;
  await host.stop();
  await played.close();
  rmSync(folder, { recursive: true, force: true });
});

it('asks the API of a deployment in ways that it takes, with a key for numbers alone', async () => {
  const asked: unknown[] = [];
  const watched = (async (route: Parameters<ApiClient>[0], sent: Parameters<ApiClient>[1]) => {
    const answer = await holder(route, sent);
    const { query } = (answer.ok ? answer.body : {}) as { query?: string };
    asked.push([route.path, answer.status, ...(query === undefined ? [] : [query])]);
    return answer;
  }) as ApiClient;
  const directory = await directoryFrom(watched, { zone: undefined, urls: new Map([[name, played.url]]), numbersOf: undefined });
  expect(directory.nodes()).toEqual([{ name, url: played.url, isUp: true, isInSync: true, zone: 'default' }]);
  expect(asked).toEqual([
    ['/api/v1/zones', 200],
    ['/api/v1/nodes', 200],
    ['/api/v1/systems/find', 200, `node:${name}`],
  ]);
});

it('has numbers of actions from a deployment, which records what they stand for', async () => {
  const numbers = actionsOfMuster(holder, { after: () => () => undefined });
  const [reserved] = await numbers.reserve(2);
  await numbers.record(reserved!, [{ node: name, id: 41 }]);
  expect(await numbers.partsOf(reserved!.number, new AbortController().signal)).toEqual([{ node: name, id: 41 }]);
  expect(await numbers.numbersAt(name, [40, 41, 42])).toEqual(new Map([[41, reserved!.number]]));
});

it('may neither drain a node nor accept a system with that key', async () => {
  const refused = { ok: false, status: 403, problem: { detail: expect.stringContaining('needs the scope operate') } };
  expect(await holder(contract.leaveNode, { params: { id: name }, body: { mode: 'drain' } })).toMatchObject(refused);
  expect(await holder(contract.accept, { body: { systems: ['0'.repeat(64) as Fingerprint] } })).toMatchObject(refused);
  expect(await api(contract.getNode, { params: { id: name } })).toMatchObject({ ok: true, body: { status: 'up' } });
});

it('answers as a program for the nodes that Muster has', async () => {
  const account = join(folder, 'account.json');
  writeFileSync(account, '{"login":"admin","password":"secret"}', { mode: 0o600 });
  const token = join(folder, 'token');
  writeFileSync(token, `${key}\n`, { mode: 0o600 });
  const gateway = aProgram('programs/gateway/main.ts', [
    ...['--endpoint', host.url, '--token-file', token, '--account', account],
    ...['--node-url', `${name}=${played.url}`, '--server-id', `${name}=1000010003`, '--port', '0'],
  ]);
  await gateway.says(`for ${name}`);
  const url = /answers at (\S+)\/rpc\/api/.exec(gateway.said())?.[1] ?? '';
  expect(gateway.said()).toContain('its key may number actions; it has no scope edit: ');
  const session = resultOf((await sendTo(url, callText('auth.login', ['admin', 'secret']))).read());
  expect(resultOf((await sendTo(url, callText('system.listSystems', [session]))).read())).toMatchObject([{ id: 1_000_010_000 }]);
  expect(played.calls.map(({ method }) => method)).toEqual(['system.getMinionIdMap', 'auth.logout', 'system.listSystems']);
  const atHub = async (method: string, ...params: readonly Value[]): Promise<Value> =>
    resultOf((await sendTo(url, callText(method, params), {}, 'POST', '/hub/rpc/api')).read());
  const own = await atHub('hub.login', 'admin', 'secret');
  expect(await atHub('hub.listServers', own)).toEqual([{ id: 1_000_010_003, name }]);
  expect(await atHub('multicast.system.listSystems', own, [1_000_010_003])).toMatchObject({
    Successful: { ServerIds: [1_000_010_003], Responses: [[{ id: 1_000_010_000 }]] },
  });
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
});

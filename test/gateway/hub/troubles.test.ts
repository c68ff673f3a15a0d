import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../../lib/uyuni/xml-rpc/write.ts';
import { type AGateway, aGateway, resultOf, type Sent } from '../../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode, type Trouble } from '../../support/a-played-node.ts';
import type { HubResults } from '../../support/hub-results.ts';

const names = ['a.acme.test', 'b.acme.test', 'c.acme.test'] as const;
/** More than a server needs here, and short enough to wait for. */
const short = { 'x-deadline': '0.4' };

describe('a server that fails in a call of the hub', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let key: string;
  let servers: number[];
  const b = (): PlayedNode => nodes[1]!;
  const send = (method: string, params: readonly Value[], headers: Readonly<Record<string, string>> = {}): Promise<Sent> =>
    gateway.hub.send(callText(method, [key, ...params]), headers);
  const list = (headers: Readonly<Record<string, string>> = {}): Promise<Sent> => send('multicast.system.listSystems', [servers], headers);
  const resultsOf = (sent: Sent): HubResults => resultOf(sent.read()) as HubResults;
  beforeEach(async () => {
    nodes = await Promise.all(names.map((name) => aPlayedNode(name, [1, 2])));
    const places = names.flatMap((name, n) => [1, 2].map((local) => [100 * (n + 1) + local, name, local] as const));
    gateway = await aGateway(nodes, { places });
    key = resultOf(await gateway.hub.call('hub.login', 'admin', 'secret')) as string;
    servers = resultOf(await gateway.hub.call('hub.listServerIds', key)) as number[];
  });
  afterEach(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });

  it.each([
    ['hangs', 'deadline', 'it did not answer in time'],
    ['hangs in the middle', 'deadline', 'it did not answer in time'],
    ['dies in the middle', 'lost|cut-off', 'b.acme.test did not answer'],
    ['is malformed', 'malformed', 'b.acme.test did not answer'],
    ['is away', 'lost|refused', 'b.acme.test did not answer'],
    ['closes', 'lost', 'b.acme.test did not answer'],
    [{ faults: { code: -23, text: 'not allowed & so on' } }, 'fault', 'Fault(-23): not allowed & so on'],
  ] satisfies [Trouble, string, string][])(
    '%j is among those that failed, with the reason, and costs itself alone',
    async (trouble, code, why) => {
      b().trouble = trouble;
      const sent = await list(short);
      const { Successful, Failed } = resultsOf(sent);
      expect(Successful.ServerIds).toEqual([servers[0], servers[2]]);
      expect(Successful.Responses).toMatchObject([
        [{ id: 101 }, { id: 102 }],
        [{ id: 301 }, { id: 302 }],
      ]);
      expect(Failed).toEqual({ ServerIds: [servers[1]], Responses: [expect.stringContaining(why)] });
      expect(sent.headers['x-muster-failed']).toMatch(new RegExp(`^b\\.acme\\.test;(${code})$`));
      expect(gateway.said.at(-1)).toContain('admin multicast.system.listSystems');
    },
  );

  it('answers with another value than others', async () => {
    b().trouble = 'lies';
    expect(resultsOf(await list()).Successful.Responses[1]).toBe('there is nothing here');
  });

  it('may have done what it was asked where its answer is lost, and says so', async () => {
    b().trouble = 'dies in the middle';
    nodes[2]!.trouble = { faults: { code: 1003, text: 'no' } };
    const { Failed } = resultsOf(await send('multicast.system.deleteSystem', [servers, [101, 201, 301]]));
    expect(Failed).toEqual({
      ServerIds: [servers[1], servers[2]],
      Responses: [expect.stringMatching(/^Fault\(-1\): .*b\.acme\.test did not answer: .* \(perhaps done\)$/), 'Fault(1003): no'],
    });
  });

  it('is called once where it may write', async () => {
    b().trouble = 'closes';
    await send('multicast.system.deleteSystem', [servers, [101, 201, 301]]);
    b().trouble = undefined;
    expect(nodes.map(({ calls }) => calls.length)).toEqual([1, 0, 1]);
  });

  it('is not asked once it has failed three times in a row, nor while Muster says that it is down', async () => {
    b().troubles.set('system.listSystems', 'closes');
    for (let n = 0; n < 3; n++) await list();
    b().troubles.set('system.listSystems', 'hangs');
    // Without a deadline of its own this call would wait for longer than a test may.
    expect((await list({ 'x-deadline': '600' })).headers['x-muster-failed']).toBe('b.acme.test;left-alone');
    gateway.moved.ms += 16_000;
    gateway.downAre(names[1]);
    expect((await list({ 'x-deadline': '600' })).headers['x-muster-failed']).toBe('b.acme.test;down');
    gateway.downAre();
    b().troubles.clear();
    expect(resultsOf(await list()).Successful.ServerIds).toEqual(servers);
  });

  it('that was named alone is a fault', async () => {
    b().trouble = 'hangs';
    const sent = await send('unicast.system.getDetails', [servers[1]!, 201], short);
    expect(sent.read()).toMatchObject({ ok: false, fault: { code: -1, text: expect.stringContaining('b.acme.test') } });
  });

  it('is let go of when the caller has gone', async () => {
    b().trouble = 'hangs';
    const gone = new AbortController();
    const body = callText('multicast.system.listSystems', [key, servers]);
    const call = fetch(`${gateway.url}/hub/rpc/api`, { method: 'POST', body, signal: gone.signal });
    while (b().waiting() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    gone.abort();
    await expect(call).rejects.toThrow();
    while (b().waiting() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    b().trouble = undefined;
    expect(resultsOf(await list()).Successful.ServerIds).toEqual(servers);
  });

  it('is among those that failed also where a complete answer is asked for: nothing is missing in silence', async () => {
    b().trouble = 'closes';
    expect(resultsOf(await list({ 'x-strict': 'true' })).Failed.ServerIds).toEqual([servers[1]]);
  });

  it('that all are is no fault', async () => {
    for (const node of nodes) node.trouble = 'closes';
    expect(resultsOf(await list())).toMatchObject({ Successful: { ServerIds: [] }, Failed: { ServerIds: servers } });
  });

  it('does not sign others in', async () => {
    b().trouble = 'hangs';
    const attach = await send('hub.attachToServers', [servers, ['admin', 'admin', 'admin'], ['secret', 'secret', 'wrong']], short);
    expect(resultsOf(attach)).toMatchObject({
      Successful: { ServerIds: [servers[0]] },
      Failed: {
        ServerIds: [servers[1], servers[2]],
        Responses: [expect.stringContaining('sign in again'), expect.stringContaining('Fault(2950)')],
      },
    });
    expect(attach.headers['x-muster-failed']).toBe('b.acme.test;deadline, c.acme.test;fault');
  });
});

describe('long answers to a call of the hub', () => {
  it('are each whole, or among those that failed', async () => {
    const many = Array.from({ length: 6_000 }, (_, n) => n + 1);
    const nodes = await Promise.all(names.map((name) => aPlayedNode(name, many)));
    const places = names.flatMap((name, n) => many.map((local) => [10_000 * (n + 1) + local, name, local] as const));
    const gateway = await aGateway(nodes, { places });
    const key = resultOf(await gateway.hub.call('hub.login', 'admin', 'secret')) as string;
    const servers = resultOf(await gateway.hub.call('hub.listServerIds', key)) as number[];
    nodes[1]!.troubles.set('system.listSystems', 'dies in the middle');
    const sent = await gateway.hub.send(callText('multicast.system.listSystems', [key, servers]));
    const { Successful, Failed } = resultOf(sent.read()) as HubResults;
    expect(sent.text.length).toBeGreaterThan(2 * 1024 * 1024);
    expect(Successful.ServerIds).toEqual([servers[0], servers[2]]);
    expect(Successful.Responses.map((list) => (list as unknown[]).length)).toEqual([6_000, 6_000]);
    expect(Failed.ServerIds).toEqual([servers[1]]);
    expect(sent.trailers['x-muster-failed']).toMatch(/^b\.acme\.test;/);
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
});

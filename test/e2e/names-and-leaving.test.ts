import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { aJoin, aNodeUp } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';

let host: TestHost;
let api: ApiClient;
beforeAll(async () => {
  host = await aHost({ beatMinMs: 60_000 });
  api = apiAt(host.url);
});
afterAll(() => host.stop());

const statusOf = async (id: string): Promise<string> => {
  const answer = await api(contract.getNode, { params: { id } });
  return answer.ok ? answer.body.status : answer.problem.detail;
};

describe('a name that was joined by mistake', () => {
  it('is taken over by the machine that comes up under it', async () => {
    const mistaken = await aJoin(host.url, 'node1.acme.org');

    const node = await aNodeUp(host.url, 'node1.acme.org');

    const id = mistaken.ok && 'node' in mistaken.body ? mistaken.body.node : undefined;
    expect(id && (await api(contract.getNode, { params: { id } })).status).toBe(404);
    expect(await statusOf('node1.acme.org')).toBe(await statusOf(node.id));
  });

  it('is free once that join is dropped', async () => {
    await aJoin(host.url, 'node2.acme.org');

    const dropped = await api(contract.dropNode, { params: { id: 'node2.acme.org' } });

    expect(dropped.ok && dropped.body.done).toBe(true);
    expect((await api(contract.getNode, { params: { id: 'node2.acme.org' } })).status).toBe(404);
    expect((await aNodeUp(host.url, 'node2.acme.org')).incarnation).toBe(1);
  });
});

describe('a node that the bus says leaves', () => {
  it('stays once an operator has said so, however often the bus repeats it, until it is said anew', async () => {
    const { id } = await aNodeUp(host.url, 'node3.acme.org');
    const say = (report: string) =>
      host.queue.sendFromBus(
        'reports',
        JSON.stringify({
          type: 'node.leaving',
          version: 1,
          id: report,
          node: id,
          data: { mode: 'hold', until: host.shell.now() + 600_000 },
        }),
      );
    await say('patch-1');
    await eventually('it leaves', async () => (await statusOf(id)) === 'leaving');
    const stayed = await api(contract.leaveNode, { params: { id }, body: { mode: 'stay' } });
    expect(stayed.ok && stayed.body.done).toBe(true);

    await say('patch-1');
    await host.settled();
    expect(await statusOf(id)).toBe('up');

    await say('patch-2');
    await host.settled();
    expect(await statusOf(id)).toBe('leaving');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import type { Host } from '../../programs/local/host.ts';
import { aClient, aNodeUp, keepBeating } from '../../tools/support/actors.ts';
import { aHost, eventually } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';

let host: Host;
let api: ApiClient;
beforeAll(async () => {
  host = await aHost();
  api = apiAt(host.url);
});
afterAll(() => host.stop());

const nodeStatus = async (id: string) => {
  const node = await api(contract.getNode, { params: { id: id as never } });
  return node.ok ? node.body.status : node.problem.type;
};

describe('the main job on the embedded host', () => {
  it('takes a machine from its knock to a node, and to another node when that one is lost', async () => {
    const node1 = await aNodeUp(host.url, 'node1.acme.org');
    const client = aClient(host.url, 'web1.acme.org');

    expect(await client.knock()).toBe('0');
    expect(await client.status()).toBe('0');
    const accepted = await api(contract.accept, { body: { systems: [client.fp], tags: ['web'] } });
    expect(accepted.ok && accepted.body.results).toEqual([{ fp: client.fp, done: true, because: 'accepted into zone default' }]);

    expect(await client.knock()).toBe('2');
    expect(await client.orphan()).toBe('node1.acme.org');
    expect(await client.orphan()).toBe('node1.acme.org');
    expect(await client.status()).toBe('2');
    expect(await client.knock({ confirmed: 'node1.acme.org' })).toBe('1');
    expect(await client.status()).toBe('1');

    const node2 = await aNodeUp(host.url, 'node2.acme.org');
    const beating = keepBeating(node2, 500);
    await eventually('node1 is down', async () => (await nodeStatus(node1.id)) === 'down', 25_000);
    expect(await eventually('the client is an orphan', async () => (await client.status()) === '2')).toBe(true);
    expect(await client.orphan()).toBe('node2.acme.org');
    expect(await client.knock({ confirmed: 'node2.acme.org' })).toBe('1');
    await beating.stop();

    expect(await node1.sendHeartbeat()).toBe(409);
    await node1.up(undefined);
    await eventually('node1 is up again', async () => (await nodeStatus(node1.id)) === 'up');
  });
});

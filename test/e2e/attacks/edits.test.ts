import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { ZoneName } from '../../../lib/core/ids.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { aClient, aNodeUp, type TestAgent } from '../../../tools/support/actors.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { aKey } from '../../support/callers.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
let node: TestAgent;
let accepted: string;
beforeAll(async () => {
  host = await aStronghold();
  node = await aNodeUp(host.url, 'node1.acme.org');
  await aNodeUp(host.url, 'node2.acme.org');
  const clients = [1, 2, 3].map((n) => aClient(host.url, `web${n}.acme.org`));
  for (const client of clients) await client.knock();
  accepted = clients[0]!.fp;
  await apiAt(host.url)(contract.accept, { body: { systems: [accepted], tags: [] } });
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

const get = (path: string, headers = {}) => host.attack({ path, headers });

describe('attack 30', () => {
  const next = async (path: string): Promise<string> => (JSON.parse((await get(path)).text) as { next: string }).next;
  const refused = [400, 'bad-cursor', '/cursor'];

  it('attack 30: a cursor that was changed, is of another query or none at all opens nothing', async () => {
    const cursor = await next('/api/v1/systems?limit=1&status=new');
    expect((await get(`/api/v1/systems?limit=1&status=new&cursor=${cursor}`)).status).toBe(200);
    const bytes = Buffer.from(cursor, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      const text = changed.toString('base64url');
      expect(told(await get(`/api/v1/systems?limit=1&status=new&cursor=${text}`)), `byte ${at}`).toEqual(refused);
    }
    for (const text of [cursor.slice(0, -1), `${cursor}A`, `${cursor}%3D`, 'x', '', '%00', encodeURIComponent('../..')])
      expect(told(await get(`/api/v1/systems?limit=1&status=new&cursor=${text}`)), text).toEqual(refused);
    for (const query of ['/systems?', '/systems?status=orphan&', '/nodes?', '/zones?', '/node-tokens?', '/audit?'])
      expect(told(await get(`/api/v1${query}limit=1&cursor=${cursor}`)), query).toEqual(refused);
  });
  it('attack 30: a cursor of one who sees a zone is of no use to one who sees another', async () => {
    const cursor = await next('/api/v1/nodes?limit=1');
    const stranger = await aKey(host.shell, rightsOf(['read'], [ZoneName.parse('other')]));
    host.keepSecret(stranger.text);
    await host.settle();
    const answer = await get(`/api/v1/nodes?limit=1&cursor=${cursor}`, { authorization: `Bearer ${stranger.text}` });
    expect(told(answer)).toEqual(refused);
    // Its use is noted, once an hour.
    expect(await host.changes()).toEqual([`api-key#${stranger.id}|api-key`]);
    await host.settle();
  });
});

describe('attack 35', () => {
  it('attack 35: an edit of a version that is no longer the newest is told which one is', async () => {
    const edits: readonly [string, object][] = [
      [`/api/v1/nodes/${node.id}`, { weight: 3 }],
      [`/api/v1/systems/${accepted}`, { tags: ['web'] }],
      ['/api/v1/settings', { newKeysPerSource: 7 }],
    ];
    for (const [path, body] of edits) {
      const { etag } = (await get(path)).headers;
      expect(etag).toMatch(/^"[\w-]{16}"$/);
      for (const stale of ['"AAAAAAAAAAAAAAAA"', 'W/"AAAAAAAAAAAAAAAA"', String(etag).replaceAll('"', ''), `"x", ${String(etag)}`]) {
        const answer = await host.attack({ method: 'PATCH', path, body, headers: { 'if-match': stale } });
        expect(told(answer), `${path} ${stale}`).toEqual([412, 'version-conflict']);
        expect(answer.headers['etag']).toBe(etag);
      }
    }
  });
});

describe('attack 36', () => {
  const call = (body: object, key: string) =>
    host.attack({ method: 'POST', path: '/api/v1/systems/unregister', body, headers: { 'idempotency-key': key } });
  const systems = { systems: ['0'.repeat(64)] };

  it('attack 36: a key that was used for one call is refused for another, and the same call gets its first answer', async () => {
    const first = await call(systems, 'once');
    expect(first.status).toBe(200);
    await host.settle();
    expect(told(await call({ systems: ['1'.repeat(64)] }, 'once'))).toEqual([422, 'idempotency-mismatch']);
    const elsewhere = { method: 'POST', path: '/api/v1/systems/accept', body: systems, headers: { 'idempotency-key': 'once' } };
    expect(told(await host.attack(elsewhere))).toEqual([422, 'idempotency-mismatch']);
    const again = await call(systems, 'once');
    expect([again.status, again.text]).toEqual([200, first.text]);
  });
  it('attack 36: the same call at the same time is told that the first is under way', async () => {
    const read = host.shell.table.read.bind(host.shell.table);
    // The first call stays in its work for as long as the second takes.
    const slow = vi.spyOn(host.shell.table, 'read').mockImplementation(async (key) => {
      if (key.pk.startsWith('client#')) await sleep(300);
      return read(key);
    });
    const first = call(systems, 'together');
    await sleep(100);
    const second = await call(systems, 'together');
    expect((await first).status).toBe(200);
    slow.mockRestore();

    expect(told(second)).toEqual([409, 'in-progress']);
    expect(second.headers['retry-after']).toBe('1');
    expect(await host.changes()).toEqual([expect.stringMatching(/^idempotency#/)]);
    await host.settle();
  });
});

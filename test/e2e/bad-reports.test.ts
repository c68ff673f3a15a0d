import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { leaseMsOf } from '../../lib/core/lease.ts';
import type { QueueName } from '../../lib/ports/queue/queue.ts';
import { parseAttributes } from '../../lib/ports/table/json.ts';
import type { DeadLetter } from '../../lib/runtime/dead-letter.ts';
import { aNodeUp, someFacts, someLoad, type TestAgent } from '../../tools/support/actors.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { changedSince, type Stored, storedIn } from '../../tools/support/state.ts';

const intervalMs = 60_000;
let host: TestHost;
let node: TestAgent;
let stored: Stored;

beforeAll(async () => {
  host = await aHost({ beatMinMs: intervalMs });
  node = await aNodeUp(host.url, 'node1.acme.org');
  // A restart: incarnation 2. A second node: the first has slots to release.
  await node.up();
  await aNodeUp(host.url, 'node2.acme.org');
  await node.sendHeartbeat({ digest: { listVersion: 1, bits: 'AQ==' } });
});
afterAll(() => host.stop());
beforeEach(async () => {
  await host.settled();
  stored = storedIn(host.home);
});

/** What a door would have sent about the node, unless told otherwise. */
const aReport = (type: string, data: object, more: object = {}) => ({
  type,
  version: 1,
  id: `report-${type}`,
  node: node.id,
  incarnation: node.incarnation,
  receivedAt: host.shell.now(),
  intervalMs,
  data,
  ...more,
});
const heartbeat = (more: object = {}, data: object = {}) =>
  aReport('node.heartbeat', { load: { ...someLoad, load1: 9 }, ...data }, { seq: 50, ...more });
const boot = (id: string) => ({ boot: { id, kernel: 'kernel-1' }, facts: { ...someFacts(node.fqdn), cpus: 64 } });

const send = (queue: QueueName, body: unknown) => host.queue.send(queue, typeof body === 'string' ? body : JSON.stringify(body));
/** The rows that are other than before, once all queues are empty. */
const changes = async (): Promise<Stored> => {
  await host.settled();
  return changedSince(stored, storedIn(host.home));
};
/** The one row that is new: a dead letter. */
const deadLetter = async (): Promise<Pick<DeadLetter, 'queue' | 'message' | 'via'> & Pick<DeadLetter['last'], 'code' | 'reason'>> => {
  const rows = Object.entries(await changes());
  expect(rows.map(([key]) => key)).toEqual([expect.stringMatching(/^dead#\d+\|dead#\d+$/)]);
  const { queue, message, via, last } = parseAttributes(rows[0]![1])['body'] as unknown as DeadLetter;
  return { queue, message, via, code: last.code, reason: last.reason };
};

describe('a report that says nothing new', () => {
  it('may be the heartbeat that was just taken, or an earlier one that comes late', async () => {
    await send('heartbeats', heartbeat({ seq: 3 }));
    await host.settled();
    stored = storedIn(host.home);

    await send('heartbeats', heartbeat({ seq: 3 }));
    await send('heartbeats', heartbeat({ seq: 2 }));
    await send('heartbeats', heartbeat({ seq: 1 }, { digest: { listVersion: 1, bits: 'AQ==' } }));
    expect(await changes()).toEqual({});
  });

  it('may be the node-up that was acknowledged, or an older one', async () => {
    await node.up(undefined, 'boot-third');
    await host.settled();
    stored = storedIn(host.home);
    const { boot: acknowledged } = parseAttributes(stored[`node#${node.id}|node`]!)['body'] as unknown as {
      boot: { receivedAt: number };
    };

    await send(
      'reports',
      aReport('node.up', { ...boot('boot-third'), facts: someFacts(node.fqdn) }, { receivedAt: acknowledged.receivedAt }),
    );
    await send('reports', aReport('node.up', boot('boot-older'), { receivedAt: acknowledged.receivedAt - 1 }));
    expect(await changes()).toEqual({});
  });

  it('may be that the node is ready, once more', async () => {
    await send('reports', aReport('node.ready', {}));
    expect(await changes()).toEqual({});
  });
});

describe('a report of another incarnation', () => {
  it.each([-1, 1])('changes nothing, whatever it says (%i)', async (by) => {
    const incarnation = node.incarnation + by;
    await send('heartbeats', heartbeat({ incarnation }, { digest: { listVersion: 1, bits: '/w==' } }));
    await send('reports', aReport('node.leaving', { mode: 'drain' }, { incarnation }));
    await send('reports', aReport('node.released', { mapVersion: 1_000 }, { incarnation }));
    await send('reports', aReport('node.ready', {}, { incarnation }));
    expect(await changes()).toEqual({});
  });
});

describe('a report of a node that never joined', () => {
  it('makes no row', async () => {
    const stranger = { node: 'n0000000000000000', incarnation: 1 };
    await send('heartbeats', heartbeat(stranger, { digest: { listVersion: 1, bits: '/w==' } }));
    await send('reports', aReport('node.up', boot('boot-stranger'), stranger));
    await send('reports', aReport('node.released', { mapVersion: 1 }, stranger));
    expect(await changes()).toEqual({});
  });
});

describe('a heartbeat older than its lease', () => {
  it('renews nothing, also not its digest', async () => {
    const receivedAt = host.shell.now() - leaseMsOf(intervalMs) - 1;
    await send('heartbeats', heartbeat({ seq: 60, receivedAt }, { digest: { listVersion: 1, bits: '/w==' } }));
    expect(await changes()).toEqual({});
  });
});

describe('what is no report', () => {
  it.each<[string, QueueName, unknown, object]>([
    [
      'of an unknown type',
      'reports',
      { type: 'node.sideways', version: 1, id: 'x' },
      { code: 'unknown-type', reason: 'there is no report of type "node.sideways"' },
    ],
    [
      'of an unknown version',
      'reports',
      { type: 'node.ready', version: 2 },
      { code: 'wrong-shape', reason: expect.stringMatching(/^node\.ready: \/version /) },
    ],
    [
      'without its stamp',
      'heartbeats',
      { type: 'node.heartbeat', version: 1, id: 'x' },
      { code: 'wrong-shape', reason: expect.stringMatching(/^node\.heartbeat: \/node /) },
    ],
    ['that is not JSON', 'reports', '{"type":"node.up"', { code: 'malformed-json', reason: 'the message is not JSON' }],
    ['that is nothing', 'heartbeats', 'null', { code: expect.any(String), reason: expect.any(String) }],
    ['with __proto__', 'reports', '{"__proto__":{"type":"node.ready"},"type":"node.ready"}', { code: 'wrong-shape' }],
  ])('is put aside with its reason: one %s', async (_what, queue, body, expected) => {
    const message = typeof body === 'string' ? body : JSON.stringify(body);
    await send(queue, message);
    expect(await deadLetter()).toMatchObject({ ...expected, queue, message, via: 'door' });
  });

  it('is put aside also when a field that nobody knows is all that is wrong with it', async () => {
    await send('heartbeats', heartbeat({ color: 'red' }));
    expect(await deadLetter()).toMatchObject({ code: 'wrong-shape', reason: 'node.heartbeat: / Unrecognized key: "color"' });
  });

  it('is shown in the status of the deployment', async () => {
    const api = apiAt(host.url);
    const before = await api(contract.status);
    await send('reports', 'nonsense');
    await deadLetter();
    const after = await api(contract.status);
    expect(after.ok && before.ok && after.body.deadLetters! - before.body.deadLetters!).toBe(1);
  });
});

describe('what comes by the ingest bus', () => {
  const byBus = (queue: QueueName, body: object) => host.queue.sendFromBus(queue, JSON.stringify(body));
  const leaving = { type: 'node.leaving', version: 1, id: 'bus-1', data: { mode: 'drain' } };

  it('is refused when its type may only come from a node', async () => {
    await byBus('reports', { ...leaving, node: node.id, type: 'node.up', data: boot('boot-bus') });
    expect(await deadLetter()).toMatchObject({
      code: 'not-from-bus',
      reason: 'a node.up is only accepted from the node itself, not from the bus',
      via: 'bus',
    });
  });

  it('is refused when there is no such type', async () => {
    await byBus('reports', { ...leaving, node: node.id, type: 'node.sideways' });
    expect(await deadLetter()).toMatchObject({ code: 'unknown-type', reason: 'there is no report of type "node.sideways"', via: 'bus' });
  });

  it('is refused when it carries a stamp of ours', async () => {
    await byBus('reports', { ...leaving, node: node.id, receivedAt: host.shell.now() });
    expect(await deadLetter()).toMatchObject({ code: 'wrong-shape', reason: 'node.leaving: / Unrecognized key: "receivedAt"' });
  });

  it('is refused where nothing comes by the bus', async () => {
    await byBus('heartbeats', heartbeat());
    expect(await deadLetter()).toMatchObject({ code: 'not-from-bus', via: 'bus' });
  });

  it('changes nothing when no such node has joined', async () => {
    await byBus('reports', { ...leaving, node: 'n0000000000000000' });
    expect(await changes()).toEqual({});
  });
});

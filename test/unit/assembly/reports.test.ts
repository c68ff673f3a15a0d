import { beforeEach, describe, expect, it } from 'vitest';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { DeadLetter } from '../../../lib/runtime/dead-letter.ts';
import { nodeId } from '../../../tools/support/builders.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aBeat, isLeaving } from '../nodes/reports.ts';

let world: World;
let node: Agent;
beforeEach(async () => {
  world = await stepped();
  node = await new Agent(world, 'node1.acme.org').start();
});
const rowOf = async (agent: Agent): Promise<Node> => (await world.table.read(keyOf({ noun: 'node', id: agent.id })))!.body as Node;
const dead = () =>
  [...world.table.rows.values()].flatMap(({ key, body }) =>
    key.pk.startsWith('dead') ? [[(body as DeadLetter).last.code, (body as DeadLetter).last.reason]] : [],
  );
const ofNode = <T extends object>(report: T) => ({ ...report, node: node.id });
/** The report as automation puts it on the ingest bus: without our stamps. */
const unstamped = ({ receivedAt: _at, intervalMs: _ms, incarnation: _boot, ...report }: ReturnType<typeof isLeaving>) => ofNode(report);

describe('a report on the queue', () => {
  it.each([
    { what: 'that is no JSON', body: '{', code: 'malformed-json' },
    { what: 'of a type that nobody knows', body: JSON.stringify({ type: 'node.sang' }), code: 'unknown-type' },
    { what: 'of the wrong shape', body: JSON.stringify({ ...aBeat(), data: {} }), code: 'wrong-shape' },
    { what: 'with a field that it does not have', body: JSON.stringify({ ...aBeat(), song: 1 }), code: 'wrong-shape' },
  ])('$what is put aside with its reason, and changes nothing', async ({ body, code }) => {
    const before = await rowOf(node);

    await world.queue.send('reports', body);
    await world.step(0);

    expect(dead().map(([one]) => one)).toEqual([code]);
    expect(await rowOf(node)).toEqual(before);
    expect((await world.queue.depth('reports')).messages).toBe(0);
  });

  it('of a node that never joined is acknowledged, and leaves no row', async () => {
    const before = world.table.rows.size;

    await world.queue.send('heartbeats', JSON.stringify({ ...aBeat({ receivedAt: world.now() }), node: nodeId(77) }));
    await world.step(0);

    expect(world.table.rows.size).toBe(before);
    expect((await world.queue.depth('heartbeats')).messages).toBe(0);
  });

  it('that comes twice, or after one that was sent later, is as if it had come once', async () => {
    node.fallSilent();
    const beats = [3, 1, 2, 3].map((seq) => ofNode(aBeat({ seq: node.seq + seq, receivedAt: (world.now() + seq) as never })));
    for (const beat of beats) await world.queue.send('heartbeats', JSON.stringify(beat));
    await world.step(10);

    expect(await rowOf(node)).toMatchObject({ seq: node.seq + 3, heardAt: world.now() - 10 + 3 });
  });

  it('that is a heartbeat made again by somebody who captured it brings no digest back; one handed out again brings what it has', async () => {
    node.fallSilent();
    const hear = async (seq: number, byte: number, receivedAt = world.now()): Promise<unknown> => {
      const digest = { listVersion: 1, bits: Buffer.of(byte).toString('base64') };
      await world.queue.send('heartbeats', JSON.stringify(ofNode(aBeat({ seq: node.seq + seq, receivedAt, digest }))));
      await world.step(1_000);
      return (await world.table.read(keyOf({ noun: 'digest', id: node.id })))?.body;
    };
    const at = world.now();
    await hear(1, 1);
    const seen = await hear(2, 3);
    expect(seen).toMatchObject({ bits: Uint8Array.of(3), before: { bits: Uint8Array.of(1) } });
    expect(await hear(2, 3)).toEqual(seen);
    expect(await hear(1, 1)).toEqual(seen);
    expect(await hear(4, 7, world.now())).toMatchObject({ bits: Uint8Array.of(7) });
    expect(await hear(3, 1, at)).toMatchObject({ bits: Uint8Array.of(7), before: { bits: Uint8Array.of(3) } });
  });
});

describe('a report from the ingest bus', () => {
  it('that a node leaves counts from when it was sent', async () => {
    await world.queue.sendFromBus('reports', JSON.stringify(unstamped(isLeaving('drain'))));
    await world.step(0);

    expect(await rowOf(node)).toMatchObject({ status: 'leaving', leaving: { mode: 'drain', since: world.now() } });
  });

  it('cannot stamp itself as a door would, nor say what only a node may say', async () => {
    await world.queue.sendFromBus('reports', JSON.stringify(ofNode(isLeaving('drain'))));
    await world.queue.sendFromBus('reports', JSON.stringify(ofNode(aBeat())));
    await world.queue.sendFromBus('heartbeats', JSON.stringify(ofNode(aBeat())));
    await world.step(0);

    expect(
      dead()
        .map(([code]) => code)
        .sort(),
    ).toEqual(['not-from-bus', 'not-from-bus', 'wrong-shape']);
    expect((await rowOf(node)).status).toBe('up');
  });
});

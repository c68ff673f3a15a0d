import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wiring } from '../../infra/wiring.ts';
import type { Node } from '../../lib/nodes/node.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { QueueFunction } from '../../lib/runtime/function.ts';
import { loadFunctions } from '../../programs/local/functions.ts';
import { aShell, losingAnswers, outrun } from '../../tools/support/a-shell.ts';
import { aNode, nodeId, noon } from '../../tools/support/builders.ts';
import { Agent, Daemon } from '../../tools/support/players.ts';
import { stepped } from '../../tools/support/stepped.ts';
import { functions } from './functions.mjs';

const file = new URL('functions.mjs', import.meta.url);

describe('the version before', () => {
  it('says of which version and commit it is, and is of a modest size', () => {
    expect(readFileSync(file, 'utf8')).toMatch(/^\/\/ The functions of Muster \d+\.\d+\.\d+ as of commit [0-9a-f]{40}\.\n/);
    expect(statSync(file).size, 'bytes').toBeLessThan(1024 * 1024);
  });

  it('has functions that are started as those of this checkout are; new ones may have come since, old ones gone', async () => {
    const present = await loadFunctions();
    const both = Object.entries(functions).filter(([name]) => name in wiring.functions);
    expect(both.map(([name, { on }]) => [name, on])).toEqual(both.map(([name]) => [name, present.get(name)!.on]));
    expect(both.map(([name]) => name)).toEqual(
      expect.arrayContaining(['node-door', 'knock', 'admin', 'heartbeats', 'reports', 'sweep', 'publish']),
    );
  });

  it('brings up a node and onboards a client system', async () => {
    const world = await stepped({ functions: new Map(Object.entries(functions)), zoneMaxAgeMs: 250 });
    const node = await new Agent(world, 'node1.acme.org').start();
    const client = await new Daemon(world, 'web1.acme.org').onboarded();
    await world.step(0);

    const seen = await world.call('GET', `/api/v1/nodes/${node.id}`);
    expect([(seen.body as { status: string }).status, (await client.status()).body]).toEqual(['up', '1']);
    expect(world.bus.published.map(({ type }) => type)).toEqual([
      'node.joined',
      'node.activated',
      'zone.rebalanced',
      'client.seen',
      'client.accepted',
      'client.assigned',
    ]);
    expect(world.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('what the ports of this checkout throw', () => {
  const key = keyOf({ noun: 'node', id: nodeId(1) });
  const heartbeats = functions['heartbeats'] as QueueFunction;
  const load = { load1: 0, load5: 0, load15: 0, memoryUsedMib: 1, memoryMib: 2, systems: 0 };
  const beat = { type: 'node.heartbeat', version: 1, id: 'beat-1', node: nodeId(1), incarnation: 1, receivedAt: noon, intervalMs: 10_000 };
  const message = (more: object) =>
    ({ id: '1', via: 'door', sentAt: noon, receives: 1, body: JSON.stringify({ ...beat, ...more }) }) as const;
  const withANode = () => {
    const row = { key, body: aNode(), at: noon, by: 'a test', because: 'a test says so', events: [], eventSeq: 0, rev: 1 };
    return aShell({}, new Map([['a node', row]]));
  };
  const seqOf = async ({ table }: ReturnType<typeof aShell>) => ((await table.read(key))!.body as Node).seq;

  it('is a conflict to the version before too: it reads and decides again, and knows its own commit', async () => {
    const shell = withANode();
    expect(await heartbeats.handle([message({ seq: 1, data: { load } })], losingAnswers(shell))).toEqual([]);
    const somebody = async () => void (await heartbeats.handle([message({ id: 'beat-2', seq: 2, data: { load } })], shell));
    expect(await heartbeats.handle([message({ id: 'beat-3', seq: 3, data: { load } })], outrun(shell, somebody))).toEqual([]);
    expect(await seqOf(shell)).toBe(3);
  });

  it('is told from poison, which is put aside', async () => {
    const shell = withANode();
    expect(await heartbeats.handle([message({ seq: 1, data: 'none' })], shell)).toEqual([]);
    expect([...shell.table.rows.values()].filter(({ key: { pk } }) => pk.startsWith('dead'))).toHaveLength(1);
  });
});

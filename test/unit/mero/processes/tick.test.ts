import { beforeEach, describe, expect, it } from 'vitest';
import { loseWhatRan } from '../../../../lib/assembly/lost.ts';
import { write } from '../../../../lib/core/decision.ts';
import { Later } from '../../../../lib/core/errors.ts';
import { minuteMs, secondMs } from '../../../../lib/core/time.ts';
import { type MeroProcess, processId } from '../../../../lib/mero/processes/process.ts';
import { tickProcess } from '../../../../lib/mero/processes/tick.ts';
import type { Desired } from '../../../../lib/nodes/desired/desired.ts';
import type { Node, NodeStatus } from '../../../../lib/nodes/node.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { contentOf } from '../../../../lib/runtime/content.ts';
import type { Shell } from '../../../../lib/runtime/shell.ts';
import { aShell, committing, outrun, type TestShell } from '../../../../tools/support/a-shell.ts';
import { aNode, at, nodeFqdn, nodeId, noon } from '../../../../tools/support/builders.ts';
import { aCluster, aProcess, storageZone, storeCluster } from '../../../support/mero.ts';

let shell: TestShell;
beforeEach(() => {
  shell = aShell();
});

/** Stores a row as due at noon. */
async function store(noun: string, id: string, body: unknown): Promise<void> {
  const before = await shell.table.read(keyOf({ noun, id }));
  const cause = { by: 'test', at: noon, exact: true };
  const put = contentOf({ noun, id }, before, write<unknown, never>(body, 'stored', { wakeAt: noon }), cause)!;
  await shell.table.commit([{ put, readRev: before?.rev ?? 0 }]);
}
const aHost = async (status: NodeStatus, ...processes: MeroProcess[]): Promise<Node> => {
  const node = aNode({ status, kind: 'storage', zone: storageZone }) as Node;
  await storeCluster(shell.table, processes, { cluster: aCluster() });
  for (const process of processes) await store('process', processId(process), process);
  await store('node', node.id, node);
  await store('fqdn', nodeFqdn(1), { node: node.id });
  return node;
};
const rowOf = (noun: string, id: string) => shell.table.read(keyOf({ noun, id }));
const process = aProcess({ state: { is: 'failed', reason: 'exited' }, attempts: 0, retryAt: at(5) });
const ref = { noun: 'process', id: processId(process) };
const tick = (by: Shell = shell) => tickProcess(by, ref, { type: 'tick' });

describe('the tick of a process', () => {
  it('starts it again when that is due, and tells its agent in the same commit', async () => {
    await aHost('up', process);
    shell.step(5 * secondMs);
    let commits = 0;
    await tick(
      committing(shell, async (stored, changes) => {
        commits += 1;
        await stored(changes);
      }),
    );
    expect(commits).toBe(1);
    expect((await rowOf(ref.noun, ref.id))!.body).toMatchObject({ start: 1, attempts: 1 });
    expect((await rowOf('desired', nodeId(1)))!.body as Desired).toEqual({ release: [], orders: 1 });
  });

  it('only comes later when it is not due yet', async () => {
    await aHost('up', process);
    await tick();
    const row = (await rowOf(ref.noun, ref.id))!;
    expect([row.body, row.wakeAt]).toEqual([process, at(5)]);
  });

  it('leaves a row due that somebody has written meanwhile', async () => {
    await aHost('up', process);
    const next = { ...process, start: 9 };
    await tick(outrun(shell, () => store(ref.noun, ref.id, next)));
    const row = (await rowOf(ref.noun, ref.id))!;
    expect([row.body, row.wakeAt! <= shell.now()]).toEqual([next, true]);
  });

  it.each(['down', 'dropped', 'absent'] as const)('waits while nobody hears of its host › %s', async (status) => {
    await aHost(status, process);
    shell.step(10 * minuteMs);
    await tick();
    const row = (await rowOf(ref.noun, ref.id))!;
    expect([row.body, row.wakeAt]).toEqual([process, at(11 * 60)]);
  });
});

describe('a storage node that was given up', () => {
  const many = Array.from({ length: 200 }, (_, n) => aProcess({ n: n + 1, state: { is: 'online' } }));
  const failed = async () =>
    (await Promise.all(many.map((one) => rowOf('process', processId(one))))).filter(
      (row) => (row!.body as MeroProcess).state.is === 'failed',
    ).length;

  it('has its processes fail with it, in commits of their own, and then is let be', async () => {
    const node = await aHost('dropped', ...many);
    await loseWhatRan(shell, node);
    expect(await failed()).toBe(200);
    expect(await rowOf('node', node.id)).not.toHaveProperty('wakeAt');
  });

  it('stays due when that is interrupted, and the next sweep goes on', async () => {
    const node = await aHost('dropped', ...many);
    let left = 1;
    const failing = committing(shell, async (stored, changes) => {
      left -= 1;
      if (left < 0) throw new Later('weather', 'not now');
      await stored(changes);
    });
    await expect(loseWhatRan(failing, node)).rejects.toThrow('not now');
    expect([await failed(), (await rowOf('node', node.id))!.wakeAt]).toEqual([90, noon]);
    await loseWhatRan(shell, node);
    expect(await failed()).toBe(200);
  });

  it('is left due when it is back meanwhile', async () => {
    const node = await aHost('dropped', aProcess());
    await store('node', node.id, aNode({ status: 'joining', kind: 'storage', zone: storageZone }));
    await loseWhatRan(shell, node);
    expect((await rowOf('node', node.id))!.wakeAt).toBe(noon);
  });
});

import { describe, expect, it } from 'vitest';
import { sweep } from '../../../../lib/assembly/sweep.ts';
import { nothing, write } from '../../../../lib/core/decision.ts';
import { plusMs } from '../../../../lib/core/time.ts';
import { clusterRef, type StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import { decideCluster } from '../../../../lib/mero/clusters/command.ts';
import { lookMs, slowLookMs } from '../../../../lib/mero/clusters/plan.ts';
import { lookAfter } from '../../../../lib/mero/levels/changes.ts';
import { type MeroProcess, type ProcessStateName, processId } from '../../../../lib/mero/processes/process.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { apply } from '../../../../lib/runtime/apply.ts';
import { contentOf } from '../../../../lib/runtime/content.ts';
import { aShell, type TestShell } from '../../../../tools/support/a-shell.ts';
import { aNode, nodeFqdn, noon } from '../../../../tools/support/builders.ts';
import { aCluster, aProcess, processTypes, serviceFid, storageZone, storeCluster } from '../../../support/mero.ts';

/** How long a level may take, unless a variable says otherwise. */
const stepMs = 600_000;
const services = (n: number, ...types: string[]) => types.map((type, at) => ({ fid: serviceFid(10 * n + at), type }));
const confd = aProcess({ n: 1, type: processTypes.confd, services: services(1, 'CST_CONFD', 'CST_RMS') });
const ios = aProcess({ n: 2, services: services(2, 'CST_IOS', 'CST_CAS') });
const s3 = aProcess({ n: 3, type: processTypes.s3server, services: services(3, 'CST_RMS') });
const loaded = { load: 'l1', identity: 'i', at: noon, size: { nodes: 1, processes: 3, services: 5, devices: 0 } };
const stopped = aCluster({ disposition: 'OFFLINE', level: -1, reached: -1, loaded });

const clusterRow = async ({ table }: TestShell) => (await table.read(keyOf(clusterRef(storageZone))))!;
const clusterIn = async (shell: TestShell) => (await clusterRow(shell)).body as StorageCluster;

/** A process comes into a state, as its reports would say. */
async function becomes({ table, now }: TestShell, process: MeroProcess, is: Exclude<ProcessStateName, 'failed'>): Promise<void> {
  const ref = { noun: 'process', id: processId(process) };
  const row = (await table.read(keyOf(ref)))!;
  const next = { ...process, state: { is }, since: now() };
  const decision = { does: 'write' as const, next, events: [], because: 'a test says so' };
  await table.commit([{ put: contentOf(ref, row, decision, { by: 'test', at: now(), exact: true })!, readRev: row.rev }]);
}

const said = (shell: TestShell, type: 'start' | 'stop') =>
  apply<StorageCluster, { type: typeof type; id: string }>(shell, clusterRef(storageZone), { type, id: type }, decideCluster);

/** A cluster of a confd, a server and an application on one host that is heard. */
async function aClusterThatIs(cluster: StorageCluster, processes = [confd, ios, s3]): Promise<TestShell> {
  const shell = aShell();
  const node = aNode({ zone: storageZone, kind: 'storage', fqdn: nodeFqdn(1) });
  const put = contentOf(
    { noun: 'node', id: node.id },
    undefined,
    { does: 'write', next: node, events: [], because: 'it is up' },
    { by: 't', at: noon, exact: true },
  )!;
  await shell.table.commit([{ put, readRev: 0 }]);
  await storeCluster(shell.table, processes, { cluster });
  return shell;
}

describe('the sweep takes a storage cluster through its levels', () => {
  it('up, each level when those below are there; levels that concern nobody are gone through at once', async () => {
    const shell = await aClusterThatIs(stopped);
    await said(shell, 'start');
    await sweep(shell);
    expect(await clusterIn(shell)).toMatchObject({ level: 0, reached: -1, underWaySince: noon });
    expect((await clusterRow(shell)).wakeAt).toBe(plusMs(noon, lookMs));

    shell.step(lookMs);
    await becomes(shell, confd, 'online');
    await sweep(shell);
    expect(await clusterIn(shell)).toMatchObject({ level: 1, reached: 0, principal: serviceFid(11) });

    shell.step(lookMs);
    await becomes(shell, ios, 'online');
    await sweep(shell);
    expect(await clusterIn(shell)).toMatchObject({ level: 3, reached: 2, goals: 4 });

    shell.step(lookMs);
    await becomes(shell, s3, 'online');
    await sweep(shell);
    const { underWaySince: _done, ...there } = await clusterIn(shell);
    expect(there).toMatchObject({ level: 3, reached: 3 });
    expect(_done).toBeUndefined();
    expect((await clusterRow(shell)).wakeAt).toBe(plusMs(shell.now(), slowLookMs));
  });

  it('down, each level when those above have stopped, and then it is left alone', async () => {
    const running = [confd, ios, s3].map((process): MeroProcess => ({ ...process, state: { is: 'online' } }));
    const shell = await aClusterThatIs(aCluster({ reached: 3, loaded, principal: serviceFid(11) }), running);
    await said(shell, 'stop');
    for (const [process, level] of [
      [s3, 2],
      [ios, 0],
      [confd, -1],
    ] as const) {
      await sweep(shell);
      expect((await clusterIn(shell)).level).toBe(level);
      shell.step(lookMs);
      await becomes(shell, process, 'offline');
    }
    await sweep(shell);
    expect(await clusterIn(shell)).toEqual({ ...stopped, goals: 4, levelSince: plusMs(noon, 2 * lookMs) });
    expect(await clusterRow(shell)).not.toHaveProperty('wakeAt');
  });

  it('up, and whoever failed while it was not to run is tried anew', async () => {
    const failed: MeroProcess = { ...confd, state: { is: 'failed', reason: 'exit status 1' }, attempts: 0 };
    const shell = await aClusterThatIs(stopped, [failed, ios, s3]);
    await sweep(shell);
    const stored = async () => (await shell.table.read(keyOf({ noun: 'process', id: processId(confd) })))!;
    expect(await stored()).toMatchObject({ rev: 1 });

    await said(shell, 'start');
    await sweep(shell);
    const retryAt = plusMs(noon, 5_000);
    expect(await stored()).toMatchObject({
      because: 'it must run again: its attempts start over',
      wakeAt: retryAt,
      body: { attempts: 0, retryAt },
    });
  });

  it('goes on waiting when a level takes too long, and says whom for', async () => {
    const shell = await aClusterThatIs(stopped);
    await said(shell, 'start');
    await sweep(shell);
    shell.step(stepMs);
    await sweep(shell);
    expect(shell.logged).toContainEqual(expect.objectContaining({ code: 'levels.late' }));
    expect((await clusterRow(shell)).wakeAt).toBe(plusMs(shell.now(), slowLookMs));
    await becomes(shell, confd, 'online');
    shell.step(slowLookMs);
    await sweep(shell);
    expect((await clusterIn(shell)).level).toBe(1);
  });

  it('does not write the row to look at it again when somebody has just written it', async () => {
    const shell = await aClusterThatIs(stopped);
    await said(shell, 'start');
    await sweep(shell);
    const { rev } = await clusterRow(shell);
    await sweep(shell);
    expect((await clusterRow(shell)).rev).toBe(rev);
  });
});

describe('a process that did something', () => {
  const decided = (process: MeroProcess) => write<MeroProcess, never>(process, 'it is ready');

  it('makes the levels due, with one write for any number of them', async () => {
    const shell = await aClusterThatIs(aCluster({ reached: 3, loaded }));
    await lookAfter(shell, decided(ios));
    const { rev, wakeAt } = await clusterRow(shell);
    expect({ rev, wakeAt }).toEqual({ rev: 2, wakeAt: noon });
    await lookAfter(shell, decided(confd));
    expect((await clusterRow(shell)).rev).toBe(2);
  });

  it('changes nothing where levels do not rest on it, there are none, or it did nothing', async () => {
    const shell = await aClusterThatIs(aCluster({ reached: 3, loaded }));
    await lookAfter(shell, decided({ ...ios, type: processTypes.app }));
    await lookAfter(shell, decided({ ...ios, type: processTypes.halon }));
    await lookAfter(shell, decided({ ...ios, zone: 'other' as typeof storageZone }));
    await lookAfter(shell, nothing('it is online already'));
    expect((await clusterRow(shell)).rev).toBe(1);
  });
});

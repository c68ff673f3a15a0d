import { beforeEach, describe, expect, it } from 'vitest';
import type { AdminCaller } from '../../../lib/access/verify-admin.ts';
import { explain } from '../../../lib/assembly/explain/explain.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { adminCall } from '../../../tools/support/admin-call.ts';
import { asOperator } from '../../../tools/support/operator.ts';
import { aCluster, aMeroNode, aProcess, processFid, processTypes, storageZone, storeCluster } from '../../support/mero.ts';

let shell: TestShell;
beforeEach(async () => {
  shell = aShell();
  await adminCall(shell, 'zones', asOperator, { name: storageZone, kind: 'storage' });
});

const asked = (what: string) => adminCall(shell, what, asOperator);
const about = async (fid: string) =>
  (await asked(`explain/process/${encodeURIComponent(fid)}?zone=${storageZone}`)).body as unknown as {
    state: string;
    also: { subject: string; because: string }[];
  };
const bearing = async (fid: string) => Object.fromEntries((await about(fid)).also.map(({ subject, because }) => [subject, because]));

describe('why a process is as it is', () => {
  it('is explained by its last decision, its goal, the rule, its host and its cluster', async () => {
    const failed = aProcess({ state: { is: 'failed', reason: 'exited with status 1' }, attempts: 2, retryAt: noon });
    await storeCluster(shell.table, [failed], { cluster: aCluster({ disposition: 'ONLINE', level: 1 }) });
    expect((await about(processFid(1))).state).toBe('failed (exited with status 1)');
    expect(await bearing(processFid(1))).toMatchObject({
      'its goal': 'to run: the cluster is ONLINE, at level 1',
      'the rule': 'starts it again, attempt 3',
      [`host ${failed.host}`]: 'no node of this name has joined the zone',
    });
  });

  it.each([
    ['nothing: it is unmanaged, and only watched', aProcess({ type: processTypes.app }), aMeroNode()],
    ["nothing: it is Halon's own process, the agent of its host", aProcess({ type: processTypes.halon }), aMeroNode()],
    ['to stop: an operator removes it', aProcess({ removing: true, stopped: true }), aMeroNode()],
    ['to stop: an operator has stopped it', aProcess({ stopped: true }), aMeroNode()],
    ['to stop: an operator has stopped its host', aProcess(), aMeroNode({ stopped: true, processes: [processFid(1)] })],
    ['to stop: the cluster is OFFLINE, at level -1', aProcess(), aMeroNode()],
  ])('says that it is wanted %s', async (wanted, process, host) => {
    await storeCluster(shell.table, [process], { meroNodes: [host], cluster: aCluster({ disposition: 'OFFLINE', level: -1 }) });
    expect((await bearing(processFid(1)))['its goal']).toBe(wanted);
  });

  it('is not told without a zone, of another zone, nor of what there is not', async () => {
    await storeCluster(shell.table, [aProcess()]);
    const fid = encodeURIComponent(processFid(1));
    expect((await asked(`explain/process/${fid}`)).problem).toBe('invalid');
    expect((await asked(`explain/process/${fid}?zone=default`)).problem).toBe('not-a-storage-zone');
    expect((await asked(`explain/process/ssu1?zone=${storageZone}`)).problem).toBe('unknown-process');
    expect((await asked(`history/process/${encodeURIComponent(processFid(9))}?zone=${storageZone}`)).problem).toBe('unknown-process');
    const limited = { zones: ['emea'] } as unknown as AdminCaller;
    const call = { params: { kind: 'process', id: processFid(1) }, query: { zone: storageZone }, caller: limited } as unknown as Parameters<
      typeof explain
    >[0];
    await expect(explain(call, shell)).rejects.toMatchObject({ type: 'unknown-zone' });
  });
});

describe('why a storage cluster is as it is', () => {
  it('is told by what is wanted, its level and its last decision; its history by its zone', async () => {
    expect((await asked(`explain/cluster/${storageZone}`)).body).toMatchObject({
      subject: `the storage cluster of zone ${storageZone}`,
      state: 'OFFLINE, level -1, reached -1',
    });
    expect(await asked(`history/cluster/${storageZone}`)).toMatchObject({ status: 200, body: { items: [], more: false } });
    expect((await asked('explain/cluster/default')).problem).toBe('not-a-storage-zone');
  });
});

import { describe, expect, it } from 'vitest';
import type { AdminCaller } from '../../../lib/access/verify-admin.ts';
import { ZoneName } from '../../../lib/core/ids.ts';
import { clusterRef, newCluster } from '../../../lib/mero/clusters/cluster.ts';
import { clusterOf } from '../../../lib/mero/clusters/reads/of-caller.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { adminCall } from '../../../tools/support/admin-call.ts';
import { asOperator } from '../../../tools/support/operator.ts';

const lab = ZoneName.parse('lab');
const everywhere = { zones: 'all' } as unknown as AdminCaller;
const clusterRow = (shell: TestShell, zone: string) => shell.table.read(keyOf(clusterRef(zone)));

describe('a zone of the kind storage', () => {
  it('has its cluster from the first moment on', async () => {
    const shell = aShell();
    expect((await adminCall(shell, 'zones', asOperator, { name: 'lab', kind: 'storage' })).status).toBe(201);
    expect((await clusterRow(shell, 'lab'))?.body).toEqual(newCluster(lab, shell.now()));
    expect(await clusterOf(shell, 'lab', everywhere)).toEqual({ cluster: newCluster(lab, shell.now()), rev: 1 });
  });

  it('has one that nothing is loaded into, too, when it was made before zones had clusters', async () => {
    const shell = aShell();
    await adminCall(shell, 'zones', asOperator, { name: 'lab', kind: 'storage' });
    const without: TestShell = {
      ...shell,
      table: { ...shell.table, read: async (key) => (key.sk === 'cluster' ? undefined : shell.table.read(key)) },
    };
    expect(await clusterOf(without, 'lab', everywhere)).toEqual({ cluster: newCluster(lab, shell.now()), rev: 0 });
  });
});

describe('a zone of another kind', () => {
  it('has no cluster, and says so', async () => {
    const shell = aShell();
    await adminCall(shell, 'zones', asOperator, { name: 'emea' });
    expect(await clusterRow(shell, 'emea')).toBeUndefined();
    await expect(clusterOf(shell, 'emea', everywhere)).rejects.toMatchObject({ type: 'not-a-storage-zone' });
  });

  it('is not told from one that is not there by whoever is limited to others', async () => {
    const shell = aShell();
    await adminCall(shell, 'zones', asOperator, { name: 'lab', kind: 'storage' });
    const limited = { ...everywhere, zones: ['emea'] } as unknown as AdminCaller;
    await expect(clusterOf(shell, 'lab', limited)).rejects.toMatchObject({ type: 'unknown-zone' });
  });
});

import { describe, expect, it } from 'vitest';
import { clusterRef, type StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import { lost } from '../../../../lib/mero/clusters/liveness.ts';
import { readCluster } from '../../../../lib/mero/clusters/reads/cluster.ts';
import { devicesByProcess, layoutOf } from '../../../../lib/mero/clusters/reads/layout.ts';
import { lossWithout } from '../../../../lib/mero/clusters/reads/liveness.ts';
import type { MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import { processId } from '../../../../lib/mero/processes/process.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { aShell } from '../../../../tools/support/a-shell.ts';
import { adminCall } from '../../../../tools/support/admin-call.ts';
import { fabricatedFacts } from '../../../../tools/support/facts/fabricated.ts';
import { aStorageZone, goodFacts, load } from '../../../../tools/support/loading.ts';
import { asOperator } from '../../../../tools/support/operator.ts';
import { store } from '../../../support/storage-zone.ts';

/** A cluster of eleven servers, two of them with a confd, of which everything runs. */
async function aRunningCluster() {
  const shell = aShell();
  const zone = await aStorageZone(shell);
  await load(shell, zone, goodFacts(fabricatedFacts({ servers: 11, devicesEach: 2 })).cut);
  for (const process of (await readCluster(shell, zone))!.processes)
    await store(shell, 'process', processId(process), { ...process, state: { is: 'online' } });
  const cluster = (await shell.table.read(keyOf(clusterRef(zone))))!.body as StorageCluster;
  await store(shell, 'cluster', zone, { ...cluster, disposition: 'ONLINE', level: 3 });
  const { processes } = (await readCluster(shell, zone))!;
  const gone = (wanted: 'confd' | 'ios', many: number) =>
    processes
      .filter(({ type }) => type.tag === 'PLM0d' && type.contents === (wanted === 'confd' ? 0 : 1))
      .slice(0, many)
      .map(({ fid }) => fid);
  return { shell, zone, cluster, gone };
}

describe('what a cluster is besides its servers', () => {
  it('is read from its facts: pools with the devices that they have and bear the loss of, and profiles', async () => {
    const { shell, zone, cluster } = await aRunningCluster();
    const { pools, profiles } = await layoutOf(shell, cluster);
    expect([pools.map(({ id }) => id), profiles.map(({ id }) => id)]).toEqual([['tier1'], ['all']]);
    expect(pools[0]!.live.devices).toHaveLength(22);
    const devices = [...(await devicesByProcess(shell, zone)).values()];
    expect(devices.flat().toSorted()).toEqual(pools[0]!.live.devices.toSorted());
    const shown = (await adminCall(shell, `zones/${zone}/mero`, asOperator)).body as unknown as MeroStatus;
    expect([shown.pools, shown.profiles]).toEqual([[{ fid: pools[0]!.fid, id: 'tier1' }], profiles]);
    expect(shown.profiles[0]!.fid).toBe(cluster.profile);
  });

  it('says where hosts stand: those of an enclosure together', async () => {
    const { shell, cluster } = await aRunningCluster();
    const standings = (await layoutOf(shell, cluster)).places();
    const [first, eighth, ninth] = [1, 8, 9].map((n) => standings.get(`ssu${n}.storage.acme.org`));
    expect([standings.size, first]).toEqual([11, eighth]);
    expect([ninth!.rack === first!.rack, ninth!.encl === first!.encl]).toEqual([true, false]);
  });

  it('says what is lost with processes: a quorum, the principal, and pools that can be written to', async () => {
    const { shell, zone, cluster, gone } = await aRunningCluster();
    // The facts allow the loss of a host with its two devices, and of two devices besides.
    expect((await layoutOf(shell, cluster)).pools[0]!.live.allowed).toEqual([{ site: 0, rack: 0, encl: 0, ctrl: 1, disk: 2 }]);
    expect(await lossWithout(shell, zone, gone('ios', 2))).toBeUndefined();
    expect(await lossWithout(shell, zone, gone('ios', 3))).toBe(lost.pools);
    expect(await lossWithout(shell, zone, gone('confd', 1))).toBe(lost.quorum);
    expect(await lossWithout(shell, zone, gone('confd', 2))).toBe(`${lost.quorum} ${lost.principal}`);
    expect(await lossWithout(shell, 'default', gone('confd', 2))).toBeUndefined();
  });

  it('is nothing while nothing is loaded', async () => {
    const { shell, cluster } = await aRunningCluster();
    const { loaded: _none, ...empty } = cluster;
    const { pools, profiles, places } = await layoutOf(shell, empty);
    expect([pools, profiles, places().size]).toEqual([[], [], 0]);
  });
});

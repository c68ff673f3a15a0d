import { fidOf } from '../../../../lib/core/fid.ts';
import type { Fqdn, ZoneName } from '../../../../lib/core/ids.ts';
import { newCluster, type StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import { defaultMeroRoles } from '../../../../lib/mero/facts/roles/mero-defaults.ts';
import type { MeroRole, Variables } from '../../../../lib/mero/facts/roles/mero-role.ts';
import type { MeroNode } from '../../../../lib/mero/nodes/mero-node.ts';
import { type Addition, planAdd, wantedOf } from '../../../../lib/mero/processes/plan-add.ts';
import type { MeroProcess, ProcessState } from '../../../../lib/mero/processes/process.ts';
import { noon } from '../../../../tools/support/a-row.ts';

export const tier1 = 'tier1' as ZoneName;
export const ssu1 = 'ssu1.acme.org' as Fqdn;

/** A role that comes with Muster. */
export const roleOf = (name: string): MeroRole => defaultMeroRoles().find((role) => role.name === name)!;

/** What was added before and is there now, as the next addition finds it. */
export type There = {
  readonly meroNodes: ReadonlyMap<string, MeroNode>;
  readonly processes: readonly MeroProcess[];
  readonly lastFid: number;
};
export const nothingThere: There = { meroNodes: new Map(), processes: [], lastFid: 0 };

/** Adds roles to a host of a cluster that has these. */
export function add(there: There, host: Fqdn, roles: readonly MeroRole[], overrides: Variables = {}, address = '10.0.0.1'): Addition {
  const order = { zone: tier1, host, roles, overrides };
  const meroNode = there.meroNodes.get(host);
  const wanted = wantedOf(order, meroNode, address);
  if (!wanted.ok) return wanted;
  return planAdd(order, wanted.processes, {
    meroNode,
    processes: there.processes.filter((process) => process.host === host),
    endpoints: there.processes.map(({ endpoint }) => endpoint),
    lastFid: there.lastFid,
    lnid: wanted.lnid,
    now: noon,
  });
}

/** What is there after an addition; the same when nothing was added. */
export const withAdded = (there: There, added: Addition): There =>
  added.ok
    ? {
        meroNodes: new Map([...there.meroNodes, [added.meroNode.fqdn as string, added.meroNode]]),
        processes: [...there.processes, ...added.processes],
        lastFid: added.lastFid,
      }
    : there;

/** A process of a role on ssu1, in a state. */
export function aProcess(role = 'storage', state: ProcessState = { is: 'offline' }, more: Partial<MeroProcess> = {}): MeroProcess {
  const added = add(nothingThere, ssu1, [roleOf(role)], role === 'clovis-app' || role === 's3server' ? { multiplicity: 1 } : {});
  if (!added.ok) throw new Error(added.because.join());
  return { ...added.processes[0]!, state, ...more };
}

/** Its Mero node. */
export const aMeroNode = (processes: readonly MeroProcess[], more: Partial<MeroNode> = {}): MeroNode => ({
  fid: fidOf('node', 1),
  zone: tier1,
  fqdn: ssu1,
  lnid: '10.0.0.1@tcp',
  processes: processes.map(({ fid }) => fid),
  ...more,
});

/** A cluster that runs whole. */
export const aCluster = (more: Partial<StorageCluster> = {}): StorageCluster => ({
  ...newCluster(tier1, noon),
  disposition: 'ONLINE',
  level: 3,
  reached: 3,
  ...more,
});

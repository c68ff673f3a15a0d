import type { Fid } from '../../lib/facts/fid.ts';
import type { ProcessState } from '../../lib/processes/process.ts';
import type { EpochMs } from '../../lib/units.ts';
import { aNode } from '../support/builders.ts';
import { aCluster, aMeroNode, aProcess, storageZone } from '../support/mero.ts';

const node = { id: 'n0123456789abcdef', fqdn: 'node7.acme.org' } as Record<'id' | 'fqdn', never>;
const receivedAt = 1_777_636_800_000 as EpochMs;
const before = (receivedAt - 9_000) as EpochMs;
const booted = { ...node, incarnation: 2, heardAt: before, leaseUntil: (before + 38_000) as EpochMs };
const boot = { id: 'b7c1d2e3f4a50617', kernel: '3f1c0c5e-7d5c-4c6e-9f0e-2b8f6f0f1d11', receivedAt: before, before: 'a-boot-before' };
const ordered = (mapVersion: number, slots: number[]) => ({ mapVersion, zoneSlots: 1_024, slots });

const life = { pid: 4711, born: '3f1c0c5e.812345' };
/** A storage node, and the process of the examples on it, in that state. */
const runs = (state: ProcessState, running?: typeof life) => ({
  node: aNode({ ...booted, boot, kind: 'storage', zone: storageZone }),
  cluster: aCluster(),
  'mero-node': aMeroNode({ fqdn: node.fqdn }),
  process: aProcess({ fid: '0x7200000000000001:0x2d' as Fid, host: node.fqdn, state, since: before, ...(running && { running }) }),
});

/**
 * Which rows there are before the example of a report comes in, by noun: states in which it has something to say. Read only when an
 * example is recorded for the first time; from then on the recorded ones count.
 */
export const starts: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'node.up.v1': { node: aNode({ ...node, status: 'absent' }) },
  'node.heartbeat.v1': {
    node: aNode({ ...booted, boot, seq: 41 }),
    digest: { listVersion: 3, bits: Uint8Array.of(0xff), at: before },
  },
  'node.ready.v1': { node: aNode({ ...booted, boot, status: 'joining' }) },
  'node.leaving.v1': { node: aNode({ ...booted, boot, seq: 42, index: 3 }) },
  'node.released.v1': {
    node: aNode({ ...booted, boot, status: 'leaving', leaving: { mode: 'drain', since: before, orderVersion: 17 } }),
    desired: { release: [ordered(17, [1, 2, 3]), ordered(18, [4])] },
  },
  'report.process.starting.v1': runs({ is: 'offline' }),
  'process.started.v1': runs({ is: 'starting' }),
  'report.process.stopping.v1': runs({ is: 'online' }, life),
  'report.process.stopped.v1': runs({ is: 'stopping' }, life),
  'report.process.failed.v1': runs({ is: 'starting' }, life),
  'node.table.v1': runs({ is: 'offline' }),
};

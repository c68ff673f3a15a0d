import { write } from '../../lib/core/decision.ts';
import { fidOf } from '../../lib/core/fid.ts';
import type { Fqdn, ZoneName } from '../../lib/core/ids.ts';
import { newCluster, type StorageCluster } from '../../lib/mero/clusters/cluster.ts';
import type { ProcessType } from '../../lib/mero/facts/process.ts';
import { type MeroNode, meroNodeId } from '../../lib/mero/nodes/mero-node.ts';
import { type MeroProcess, processId } from '../../lib/mero/processes/process.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { Table } from '../../lib/ports/table/table.ts';
import { contentOf } from '../../lib/runtime/content.ts';
import { nodeFqdn, noon } from '../../tools/support/builders.ts';

/** The storage zone of the tests. */
export const storageZone = 'storage' as ZoneName;

/** A type of process, by what it is called in conversation. */
export const processTypes = {
  halon: { tag: 'PLHalon', contents: [] },
  confd: { tag: 'PLM0d', contents: 0 },
  ios: { tag: 'PLM0d', contents: 1 },
  m0t1fs: { tag: 'PLM0t1fs', contents: [] },
  s3server: { tag: 'PLClovis', contents: ['s3server', 'Managed'] },
  app: { tag: 'PLClovis', contents: ['clovis-app', 'Independent'] },
} as const satisfies Record<string, ProcessType>;

/** The fid of the n-th process, and of its first service. */
export const processFid = (n: number) => fidOf('process', n);
export const serviceFid = (n: number) => fidOf('service', n);

/** A process of the n-th number, an I/O server of the first host that is offline unless told otherwise. */
export function aProcess({ n = 1, ...given }: Partial<MeroProcess> & { readonly n?: number } = {}): MeroProcess {
  const service = given.type?.tag === 'PLM0d' && given.type.contents === 0 ? 'CST_CONFD' : 'CST_IOS';
  return {
    fid: processFid(n),
    zone: storageZone,
    host: nodeFqdn(1),
    type: processTypes.ios,
    endpoint: `10.0.0.1@tcp:12345:41:${400 + n}`,
    memory: {},
    cores: [],
    environment: [],
    services: [{ fid: serviceFid(n), type: service }],
    devices: 0,
    state: { is: 'offline' },
    since: noon,
    start: 0,
    ...given,
  };
}

/** A host with these processes, the first one unless told otherwise. */
export const aMeroNode = (given: Partial<MeroNode> = {}): MeroNode => ({
  fid: fidOf('node', 1),
  zone: storageZone,
  fqdn: nodeFqdn(1),
  lnid: '10.0.0.1@tcp',
  processes: [],
  ...given,
});

/** A cluster in which everything is to run, unless told otherwise. */
export const aCluster = (given: Partial<StorageCluster> = {}): StorageCluster => ({
  ...newCluster(storageZone, noon),
  disposition: 'ONLINE',
  level: 3,
  ...given,
});

/** Stores a cluster, its processes, and the hosts that have them, as they are. */
export async function storeCluster(
  table: Pick<Table, 'commit' | 'read'>,
  processes: readonly MeroProcess[],
  {
    cluster = aCluster(),
    meroNodes = hostsOf(processes),
  }: { readonly cluster?: StorageCluster; readonly meroNodes?: readonly MeroNode[] } = {},
): Promise<void> {
  const rows = [
    { ref: { noun: 'cluster', id: cluster.zone }, body: cluster },
    ...meroNodes.map((body) => ({ ref: { noun: 'mero-node', id: meroNodeId(body) }, body })),
    ...processes.map((body) => ({ ref: { noun: 'process', id: processId(body) }, body })),
  ];
  for (const { ref, body } of rows) {
    const before = await table.read(keyOf(ref));
    const put = contentOf(ref, before, write<unknown, never>(body, 'stored by a test'), { by: 'test', at: noon, exact: true })!;
    await table.commit([{ put, readRev: before?.rev ?? 0 }]);
  }
}

/** The hosts of processes, each with its own in order. */
export const hostsOf = (processes: readonly MeroProcess[]): MeroNode[] =>
  [...new Set(processes.map(({ host }) => host))].map((host, n) =>
    aMeroNode({
      fid: fidOf('node', n + 1),
      fqdn: host as Fqdn,
      processes: processes.filter((one) => one.host === host).map(({ fid }) => fid),
    }),
  );

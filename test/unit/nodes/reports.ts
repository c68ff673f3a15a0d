import type { Bearing, NodeReport } from '../../../events/reported/node.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { NodeCommand } from '../../../lib/nodes/command.ts';
import { at, nodeFqdn, nodeId } from '../../../tools/support/builders.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';

type Of<T extends NodeReport['type']> = Extract<NodeReport, { type: T }>;
type Stamps = { readonly receivedAt?: EpochMs; readonly intervalMs?: number };

const stamped = <T extends NodeReport['type']>(type: T, { receivedAt = at(10), intervalMs = 10_000 }: Stamps) => ({
  type,
  version: 1 as const,
  id: `${type}-${receivedAt}`,
  node: nodeId(1),
  receivedAt,
  intervalMs,
});

/** Facts of a host that nobody has. */
export const someFacts = { fqdn: nodeFqdn(1), address: '192.0.2.1', memoryMib: 4096, cpus: 2, interfaces: [] };

/** A busy host. */
export const someLoad = { load1: 0.25, load5: 0.5, load15: 1, memoryUsedMib: 1024, memoryMib: 4096, systems: 40 };

/** Reports as a door stamps them, ten seconds after noon unless told otherwise, of incarnation 1. */
export const aNodeUp = ({ boot = 'boot-bbbb', flushed, ...stamps }: Stamps & { boot?: string; flushed?: number } = {}): Of<'node.up'> => ({
  ...stamped('node.up', stamps),
  data: { boot: { id: boot, kernel: 'kernel-1' }, facts: someFacts, ...(flushed !== undefined && { flushed }) },
});

export const aBeat = ({
  seq = 1,
  incarnation = 1,
  digest,
  bearing,
  load1 = someLoad.load1,
  ...stamps
}: Stamps & {
  seq?: number;
  incarnation?: number;
  digest?: { listVersion: number; bits: string };
  bearing?: Bearing;
  load1?: number;
} = {}): Of<'node.heartbeat'> => ({
  ...stamped('node.heartbeat', stamps),
  incarnation,
  seq,
  data: { load: { ...someLoad, load1 }, ...(digest && { digest }), ...(bearing && { bearing }) },
});

export const isReady = ({ incarnation = 1, ...stamps }: Stamps & { incarnation?: number } = {}): Of<'node.ready'> => ({
  ...stamped('node.ready', stamps),
  incarnation,
  data: {},
});

export const isLeaving = (
  mode: 'drain' | 'hold',
  { until, incarnation = 1, ...stamps }: Stamps & { until?: EpochMs; incarnation?: number } = {},
): Of<'node.leaving'> => ({ ...stamped('node.leaving', stamps), incarnation, data: { mode, ...(until !== undefined && { until }) } });

export const hasReleased = (
  mapVersion: number,
  { incarnation = 1, ...stamps }: Stamps & { incarnation?: number } = {},
): Of<'node.released'> => ({
  ...stamped('node.released', stamps),
  incarnation,
  data: { mapVersion },
});

/** A key's first join. */
export const aJoin = {
  type: 'join',
  id: 'join-1',
  node: nodeId(1),
  publicKey: keyPairOf('node1').publicKey,
  fqdn: nodeFqdn(1),
  kind: 'salt',
  zone: 'default',
  watch: 'node1.acme.org:4505',
} as NodeCommand;
export const leave = (mode: 'drain' | 'hold', until?: EpochMs): NodeCommand => ({ type: 'leave', id: 'leave-1', mode, until });
export const stay: NodeCommand = { type: 'stay', id: 'stay-1' };
export const drop: NodeCommand = { type: 'drop', id: 'drop-1' };
export const remove: NodeCommand = { type: 'remove', id: 'remove-1' };
export const takeBack: NodeCommand = { type: 'take-back', id: 'take-back-1' };
export const tick = { type: 'tick' } as const;

import * as z from 'zod';
import { Fqdn } from '../../lib/core/ids.ts';
import { EpochMs } from '../../lib/core/time.ts';
import { defineReport } from '../define.ts';
import { NodeTable, ProcessTable } from './process.ts';

/**
 * A random id that the agent makes at each of its starts, and the kernel's own boot id, which distinguishes a restart
 * from a reboot.
 */
export const Boot = z.strictObject({ id: z.string().min(8).max(64), kernel: z.string().min(1).max(64) });

/** The hardware and addresses of a host; gathered by its agent, refreshed on every node-up. */
export const HostFacts = z.strictObject({
  fqdn: Fqdn,
  address: z.string().min(2).max(64),
  memoryMib: z.int().nonnegative(),
  cpus: z.int().positive(),
  interfaces: z.array(z.strictObject({ name: z.string().min(1).max(64), address: z.string().max(64), mac: z.string().max(32) })).max(64),
  os: z.string().max(128).optional(),
});
export type HostFacts = z.infer<typeof HostFacts>;

/** How busy a node is: load averages over 1, 5 and 15 minutes, memory in MiB, and how many client systems it sees. */
export const Load = z.strictObject({
  load1: z.number().nonnegative(),
  load5: z.number().nonnegative(),
  load15: z.number().nonnegative(),
  memoryUsedMib: z.int().nonnegative(),
  memoryMib: z.int().nonnegative(),
  systems: z.int().nonnegative(),
});
export type Load = z.infer<typeof Load>;

/**
 * Which of its client systems a node sees: one bit per entry of the list version it was handed, lowest bit first,
 * base64.
 */
export const Digest = z.strictObject({ listVersion: z.int().nonnegative(), bits: z.base64() });
export type Digest = z.infer<typeof Digest>;

/** The most client systems that one report of {@link Bearing} counts, and the longest time that it covers, in ms. */
const bearingMost = { systems: 100_000, ms: 3_600_000 } as const;
const Systems = z.int().nonnegative().max(bearingMost.systems);
const Span = z.int().nonnegative().max(bearingMost.ms);

/**
 * How a node bears the client systems that it accepts, since its last acknowledged heartbeat: how many it accepted,
 * how many had their first successful job, and after how long half and nine of ten of these had it. `waiting`: how many
 * wait for theirs now. `overdue`: how many have since waited for so long that they are no longer counted as waiting.
 * `cpus`: how many processors the host has. Only a node whose software is measured reports it.
 */
export const Bearing = z.strictObject({
  overMs: Span.positive(),
  accepted: Systems,
  ready: Systems,
  medianMs: Span.optional(),
  p90Ms: Span.optional(),
  waiting: Systems,
  overdue: Systems,
  cpus: z.int().positive().max(65_536),
});
export type Bearing = z.infer<typeof Bearing>;

/**
 * A starting agent sends it in a loop until this boot is acknowledged; `flushed` names the generation whose content it
 * gave up, `table` lists what runs on a host of a storage cluster.
 */
export const NodeUp = defineReport(
  'node.up',
  1,
  z.strictObject({ boot: Boot, facts: HostFacts, flushed: z.int().nonnegative().optional(), table: ProcessTable.optional() }),
);

/**
 * A running agent sends it every interval; every sixth time it carries the digest of the node's client systems. It
 * carries the bearing of the node when Muster asks for it.
 */
export const NodeHeartbeat = defineReport(
  'node.heartbeat',
  1,
  z.strictObject({ load: Load, tableHash: z.string().max(64).optional(), digest: Digest.optional(), bearing: Bearing.optional() }),
);

/** The node has taken over the common content and can take client systems. */
export const NodeReady = defineReport('node.ready', 1, z.strictObject({}));

/** The node leaves on purpose: its clients move away (`drain`), or wait for it until the deadline (`hold`). */
export const NodeLeaving = defineReport('node.leaving', 1, z.strictObject({ mode: z.enum(['drain', 'hold']), until: EpochMs.optional() }));

/**
 * The node's release hook has made the clients of moved slots knock; `mapVersion` is that of the order it carried out.
 */
export const NodeReleased = defineReport('node.released', 1, z.strictObject({ mapVersion: z.int().nonnegative() }));

/** Everything a node may report. */
export const NodeReport = z.discriminatedUnion('type', [NodeUp, NodeHeartbeat, NodeReady, NodeLeaving, NodeReleased, NodeTable]);
export type NodeReport = z.infer<typeof NodeReport>;
export type NodeUp = z.infer<typeof NodeUp>;
export type NodeHeartbeat = z.infer<typeof NodeHeartbeat>;

import * as z from 'zod';
import { Fid } from '../../lib/core/fid.ts';
import { InstanceId, ServiceTypeName } from '../../lib/core/ids.ts';
import { defineReport } from '../define.ts';

/**
 * When a process began by its host's kernel, in the agent's own words: with its pid it tells two of the same pid apart.
 */
export const Born = z.string().min(1).max(64);

/**
 * Which process, and which of its lives: the pid, and when that began. Both are absent of one that could not be started
 * at all.
 */
const life = { process: Fid, pid: z.int().positive().optional(), born: Born.optional() };
/**
 * What it ended with: the status that it exited with, or 128 and the number of the signal that killed it, as a shell
 * says it.
 */
const exit = z.int().nonnegative().optional();

/** The process was started and is not ready yet. */
export const ProcessStarting = defineReport('process.starting', 1, z.strictObject(life));
/** The process is ready. */
export const ProcessStarted = defineReport('process.started', 1, z.strictObject(life));
/** The process was told to stop, or says itself that it stops. */
export const ProcessStopping = defineReport('process.stopping', 1, z.strictObject(life));
/** The process has ended; whether that was wanted, Muster knows. */
export const ProcessStopped = defineReport('process.stopped', 1, z.strictObject({ ...life, exit }));
/** The process could not be started or stopped, or ended in a way that is a failure by itself. */
export const ProcessFailed = defineReport('process.failed', 1, z.strictObject({ ...life, reason: z.string().min(1).max(400), exit }));

/**
 * Everything that is reported about a process. The number of a report counts all that the agent says of its processes
 * in one boot, from 1.
 */
export const ProcessReport = z.discriminatedUnion('type', [
  ProcessStarting,
  ProcessStarted,
  ProcessStopping,
  ProcessStopped,
  ProcessFailed,
]);
export type ProcessReport = z.infer<typeof ProcessReport>;
export type ProcessReportType = ProcessReport['type'];

/** A process that runs on a host, as its agent sees it. */
export const TableEntry = z.strictObject({
  process: Fid,
  pid: z.int().positive(),
  born: Born.optional(),
  state: z.enum(['starting', 'online', 'stopping']),
});
export type TableEntry = z.infer<typeof TableEntry>;

/** A service that runs on a host, as its agent sees it: the instance that it is, and the process that it is. */
export const RunningService = z.strictObject({
  service: ServiceTypeName,
  instance: InstanceId,
  pid: z.int().positive(),
  born: Born.optional(),
  state: z.enum(['starting', 'online', 'stopping']),
});
export type RunningService = z.infer<typeof RunningService>;

/** How many processes a table lists at the most: a host of 256 of one kind, and its servers. */
export const tableMax = 300;
/** How many services: as many as a zone has types, of each of which a host runs one. */
export const servicesMax = 160;

/**
 * All processes and services that run on a host, and a hash of both lists, which its heartbeats say again. `services`
 * is absent where none runs.
 */
export const ProcessTable = z.strictObject({
  hash: z.string().min(1).max(64),
  processes: z.array(TableEntry).max(tableMax),
  services: z.array(RunningService).max(servicesMax).optional(),
});
export type ProcessTable = z.infer<typeof ProcessTable>;

/**
 * The agent says what runs on its host, because it was asked to: what is reported was lost, or is not what Muster has
 * on record.
 */
export const NodeTable = defineReport('node.table', 1, ProcessTable);
export type NodeTable = z.infer<typeof NodeTable>;

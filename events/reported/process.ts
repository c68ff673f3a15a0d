import * as z from 'zod';
import { Fid } from '../../lib/core/fid.ts';
import { InstanceId, ServiceTypeName } from '../../lib/core/ids.ts';
import { defineReport } from '../define.ts';

/**
 * When a process began by its host's kernel, in the agent's own notation: with the pid it identifies a process,
 * although pids are reused.
 */
export const Born = z.string().min(1).max(64);

/**
 * The process, and the run of it: its pid, and when that began. Both are absent for a process that could not be started
 * at all.
 */
const life = { process: Fid, pid: z.int().positive().optional(), born: Born.optional() };
/** The status that it exited with, or 128 plus the number of the signal that killed it, as in a shell. */
const exit = z.int().nonnegative().optional();

/** The process was started and is not ready yet. */
export const ProcessStarting = defineReport('process.starting', 1, z.strictObject(life));
/** The process is ready. */
export const ProcessStarted = defineReport('process.started', 1, z.strictObject(life));
/** The process was ordered to stop, or reports itself that it stops. */
export const ProcessStopping = defineReport('process.stopping', 1, z.strictObject(life));
/** The process has ended; Muster knows whether that was intended. */
export const ProcessStopped = defineReport('process.stopped', 1, z.strictObject({ ...life, exit }));
/** The process could not be started or stopped, or ended in a way that is a failure by itself. */
export const ProcessFailed = defineReport('process.failed', 1, z.strictObject({ ...life, reason: z.string().min(1).max(400), exit }));

/**
 * Every report about a process. The number of a report counts all of the agent's reports about its processes in one
 * boot, from 1.
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

/** A service that runs on a host, as its agent sees it: its instance and its process. */
export const RunningService = z.strictObject({
  service: ServiceTypeName,
  instance: InstanceId,
  pid: z.int().positive(),
  born: Born.optional(),
  state: z.enum(['starting', 'online', 'stopping']),
});
export type RunningService = z.infer<typeof RunningService>;

/** The most processes that a table lists: a host with 256 of one kind, and its servers. */
export const tableMax = 300;
/** The most services that a table lists: as many as a zone has types, since a host runs one service of each. */
export const servicesMax = 160;

/**
 * All processes and services that run on a host, and a hash of both lists, which its heartbeats repeat. `services` is
 * absent where none runs.
 */
export const ProcessTable = z.strictObject({
  hash: z.string().min(1).max(64),
  processes: z.array(TableEntry).max(tableMax),
  services: z.array(RunningService).max(servicesMax).optional(),
});
export type ProcessTable = z.infer<typeof ProcessTable>;

/**
 * The agent lists what runs on its host, because Muster asked for it: a report was lost, or does not agree with
 * Muster's record.
 */
export const NodeTable = defineReport('node.table', 1, ProcessTable);
export type NodeTable = z.infer<typeof NodeTable>;

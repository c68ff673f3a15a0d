import * as z from 'zod';
import { Born, type ProcessTable } from '../../../events/reported/process.ts';
import { Fid } from '../../../lib/core/fid.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import { lasting, type Passing, stored } from '../supervised/thing.ts';
import { numbered, ServiceReport } from './words.ts';

/** The record of one process of this host, on disk before any action about it. */
export const Held = z.strictObject({
  process: Fid,
  prefix: z.string(),
  /** How long it may take to start and to stop, in ms. */
  startMs: z.int().positive(),
  stopMs: z.int().positive(),
  /** Something else starts and stops the process; the agent only watches it. */
  unmanaged: z.literal(true).optional(),
  ...stored,
  /**
   * The value of `start` that was acted on last; absent when a start is due at the next opportunity, as after an order
   * to stop.
   */
  acted: z.int().nonnegative().optional(),
});
/**
 * `busy` (the action under way), `asked` (it was asked to stop) and `looked` belong to this run of the agent only.
 * Until this agent has looked at a process, it may run although the record does not show it: the agent does not start
 * it.
 */
export type Held = z.infer<typeof Held> &
  Passing & {
    readonly busy?: 'start' | 'stop' | 'kill' | 'forget';
    readonly asked?: true;
    readonly looked?: true;
  };

const life = { process: Fid, pid: z.int().positive().optional(), born: Born.optional() };
/**
 * A report of a process, retained until Muster has it. `n` counts all reports of this folder, and makes the report's id
 * and number.
 */
export const ProcessReport = z.discriminatedUnion('type', [
  z.strictObject({ ...numbered, type: z.literal('process.starting'), data: z.strictObject(life) }),
  z.strictObject({ ...numbered, type: z.literal('process.started'), data: z.strictObject(life) }),
  z.strictObject({ ...numbered, type: z.literal('process.stopping'), data: z.strictObject(life) }),
  z.strictObject({
    ...numbered,
    type: z.literal('process.stopped'),
    data: z.strictObject({ ...life, exit: z.int().nonnegative().optional() }),
  }),
  z.strictObject({
    ...numbered,
    type: z.literal('process.failed'),
    data: z.strictObject({ ...life, reason: z.string(), exit: z.int().nonnegative().optional() }),
  }),
]);
export type ProcessReport = z.infer<typeof ProcessReport>;
/**
 * The answer to a question about the whole table. It belongs to this run of the agent only, since every start of the
 * agent reports the table.
 */
export type TableReport = { readonly n: number; readonly at: EpochMs; readonly type: 'node.table'; readonly data: ProcessTable };
export type HostReport = ProcessReport | ServiceReport | TableReport;

/** The last desired state of the agent's processes. */
export const HeldDesired = z.strictObject({ version: z.literal(1), rev: z.int().nonnegative(), processes: z.array(DesiredProcess) });
export type HeldDesired = z.infer<typeof HeldDesired>;

/**
 * The processes of this host, and the waiting reports of them and of its services, as stored on disk. `name` is unique
 * to this folder, so that Muster recognizes a repeat of an `n`.
 */
export const Table = z.strictObject({
  version: z.literal(1),
  name: z.string(),
  next: z.int().positive(),
  held: z.array(Held),
  out: z.array(z.union([ProcessReport, ServiceReport])),
});
export type Table = z.infer<typeof Table>;

/** Everything that the next decision about processes depends on. */
export type ProcessesState = {
  /** Whether this agent may restart by itself what ends. */
  readonly mayGoOn: boolean;
  /** Undefined until Muster has sent it once. */
  readonly desired: HeldDesired | undefined;
  /** By fid, in the order in which they came. */
  readonly held: ReadonlyMap<Fid, Held>;
  readonly reports: {
    readonly name: string;
    readonly out: readonly HostReport[];
    readonly next: number;
    /** One call at a time, the next not before `at`. */
    readonly sending: boolean;
    readonly at: EpochMs;
    readonly failures: number;
    /** How many of the first reports go alone, to find the one among them that Muster refuses. */
    readonly alone: number;
  };
  /** The next look at what runs. */
  readonly look: { readonly at: EpochMs; readonly looking: boolean; readonly trouble: string };
  readonly wakeAt?: EpochMs;
};

/** The state of an agent that starts: no action is under way, and the first look finds what runs. */
export function firstProcesses(table: Table, desired: HeldDesired | undefined, now: EpochMs): ProcessesState {
  return {
    mayGoOn: false,
    desired,
    held: new Map(table.held.map((held) => [held.process, held])),
    reports: { name: table.name, out: table.out, next: table.next, sending: false, at: now, failures: 0, alone: 0 },
    look: { at: now, looking: false, trouble: '' },
  };
}

/** The part of a state that belongs on disk, besides the desired state, which has a file of its own. */
export const tableOf = ({ held, reports: { name, next, out } }: ProcessesState): Table => ({
  version: 1,
  name,
  next,
  held: [...held.values()].map(onDisk),
  out: out.flatMap((report) => (report.type === 'node.table' ? [] : [report])),
});

function onDisk(held: Held): z.infer<typeof Held> {
  const { asked: _asked, looked: _looked, ...one } = lasting(held);
  return one;
}

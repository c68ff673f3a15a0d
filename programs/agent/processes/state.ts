import * as z from 'zod';
import { Born, type ProcessTable } from '../../../events/reported/process.ts';
import { Fid } from '../../../lib/core/fid.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import { lasting, type Passing, stored } from '../supervised/thing.ts';
import { numbered, ServiceWord } from './words.ts';

/** What this host knows of one of its processes, on disk before anything is done about it. */
export const Held = z.strictObject({
  process: Fid,
  prefix: z.string(),
  /** How long it may take to start and to stop, in ms. */
  startMs: z.int().positive(),
  stopMs: z.int().positive(),
  /** Somebody else starts and stops it; we watch. */
  unmanaged: z.literal(true).optional(),
  ...stored,
  /**
   * The value of `start` that was acted on last; absent when it is to be started at the next opportunity, as after it
   * was to stop.
   */
  acted: z.int().nonnegative().optional(),
});
/**
 * `busy` (what is being done about it), `asked` (it was told to stop) and `looked` are of this run of the agent alone.
 * Until this agent has looked at a process, that may run although the record does not say so: it is not started.
 */
export type Held = z.infer<typeof Held> &
  Passing & {
    readonly busy?: 'start' | 'stop' | 'kill' | 'forget';
    readonly asked?: true;
    readonly looked?: true;
  };

const life = { process: Fid, pid: z.int().positive().optional(), born: Born.optional() };
/**
 * Something to report of a process; kept until Muster has it. `n` counts all that this folder ever had to say, and
 * makes the report's id and number.
 */
export const ProcessWord = z.discriminatedUnion('type', [
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
export type ProcessWord = z.infer<typeof ProcessWord>;
/**
 * The answer to a question about the whole table; of this run alone, since every start of the agent brings the table
 * along.
 */
export type TableWord = { readonly n: number; readonly at: EpochMs; readonly type: 'node.table'; readonly data: ProcessTable };
export type Word = ProcessWord | ServiceWord | TableWord;

/** What the agent was told last of its processes. */
export const HeldDesired = z.strictObject({ version: z.literal(1), rev: z.int().nonnegative(), processes: z.array(DesiredProcess) });
export type HeldDesired = z.infer<typeof HeldDesired>;

/**
 * The processes of this host and what is to be said of them, and of its services, as they stand on disk. `name` is this
 * folder's own, so that a repeat of its `n` is known as one.
 */
export const Table = z.strictObject({
  version: z.literal(1),
  name: z.string(),
  next: z.int().positive(),
  held: z.array(Held),
  out: z.array(z.union([ProcessWord, ServiceWord])),
});
export type Table = z.infer<typeof Table>;

/** Everything that the next decision about processes rests on. */
export type ProcessesState = {
  /** Whether this agent may start again by itself what ends. */
  readonly mayGoOn: boolean;
  /** Undefined until Muster has told once. */
  readonly desired: HeldDesired | undefined;
  /** By fid, in the order in which they came. */
  readonly held: ReadonlyMap<Fid, Held>;
  readonly words: {
    readonly name: string;
    readonly out: readonly Word[];
    readonly next: number;
    /** One call at a time, the next not before `at`. */
    readonly sending: boolean;
    readonly at: EpochMs;
    readonly failures: number;
    /** So many of the first go alone: one among them is refused, and which one shows that way. */
    readonly alone: number;
  };
  /** The next look at what runs. */
  readonly look: { readonly at: EpochMs; readonly looking: boolean; readonly trouble: string };
  readonly wakeAt?: EpochMs;
};

/** The state of an agent that starts: what it did is over, and what runs will be seen. */
export function firstProcesses(table: Table, desired: HeldDesired | undefined, now: EpochMs): ProcessesState {
  return {
    mayGoOn: false,
    desired,
    held: new Map(table.held.map((held) => [held.process, held])),
    words: { name: table.name, out: table.out, next: table.next, sending: false, at: now, failures: 0, alone: 0 },
    look: { at: now, looking: false, trouble: '' },
  };
}

/** What of a state belongs on disk, beside the desired state, which has a file of its own. */
export const tableOf = ({ held, words: { name, next, out } }: ProcessesState): Table => ({
  version: 1,
  name,
  next,
  held: [...held.values()].map(onDisk),
  out: out.flatMap((word) => (word.type === 'node.table' ? [] : [word])),
});

function onDisk(held: Held): z.infer<typeof Held> {
  const { asked: _asked, looked: _looked, ...one } = lasting(held);
  return one;
}

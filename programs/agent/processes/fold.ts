import type { RunningService } from '../../../events/reported/process.ts';
import type { Fid } from '../../../lib/core/fid.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { supervising } from '../supervised/supervised.ts';
import type { Life } from '../supervised/thing.ts';
import { lasting } from '../supervised/thing.ts';
import { shownTable } from './shown.ts';
import type { Held, ProcessesState, ProcessWord, Word } from './state.ts';
import type { ServiceSaid } from './words.ts';

/**
 * The most reports that may wait: 100 processes that start and stop ten times while Muster is unreachable. Above that,
 * the agent drops the oldest. Muster then asks for the table, because the table's hash differs from the one it knows.
 */
export const wordsMax = 2_000;

type Said = {
  readonly [T in ProcessWord['type']]: {
    readonly type: T;
    readonly data: Omit<Extract<ProcessWord, { type: T }>['data'], 'process' | 'pid' | 'born'>;
  };
}[ProcessWord['type']];

/** The state with one more report about a process and this life of it. */
export function withWord(
  state: ProcessesState,
  { process }: Held,
  life: Life | undefined,
  { type, data }: Said,
  at: EpochMs,
): ProcessesState {
  return append(state, { n: state.words.next, at, type, data: { process, ...life, ...data } } as ProcessWord);
}

/** The state with reports about services, each under the next number. */
export const withSaid = (state: ProcessesState, words: readonly ServiceSaid[]): ProcessesState =>
  words.reduce((next, word) => append(next, { ...word, n: next.words.next }), state);

/** The state with a report of the table; it replaces one that waits already, because it is newer. */
export const withTable = (state: ProcessesState, services: readonly RunningService[], at: EpochMs): ProcessesState =>
  append(
    { ...state, words: { ...state.words, out: state.words.out.filter(({ type }) => type !== 'node.table') } },
    { n: state.words.next, at, type: 'node.table', data: shownTable(state.held.values(), services) },
  );

const append = (state: ProcessesState, word: Word): ProcessesState => ({
  ...state,
  words: { ...state.words, out: [...state.words.out, word].slice(-wordsMax), next: word.n + 1 },
});

/** The parts of supervision that processes share with services. */
export const { withHeld, changed, forgotten, driveEach, lookIfDue, takeIn } = supervising<Fid, Held, ProcessesState>(
  ({ process }) => process,
);

/** The record of a process that does not run: what it is, and which start was acted on. */
export function idle(held: Held, since: EpochMs): Held {
  const { life: _life, failed: _failed, asked: _asked, ...rest } = lasting(held);
  return { ...rest, is: 'idle', since };
}

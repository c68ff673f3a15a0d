import type { Bearing } from '../../../events/reported/node.ts';
import { clamp, minuteMs, secondMs, unreachable } from '../../core/time.ts';
import { type Admission, measuredForMs } from '../../zones/rows/admission.ts';
import type { BearingRow } from './bearing.ts';
import { atMost, isDrained, meanMs, mostly, type Signs } from './strain.ts';
import { bears, drainingText, measuringText, raisedText, readyText, seconds } from './words.ts';

/** What a rate is moved by: the report and its signs, the usual rate in ms, and the settings of the zone. */
export type Moving = {
  readonly bearing: Bearing;
  readonly load1: number;
  readonly signs: Signs;
  readonly usualMs: number;
  readonly admission: Admission;
};

/** The row with its next rate, and the reason of that. */
export type Moved = { readonly next: BearingRow; readonly because: string };

/** Moves the rate of a node by the signs of a report. */
export function moved(row: BearingRow, moving: Moving): Moved {
  const { strain } = moving.signs;
  switch (row.phase) {
    case 'measuring':
      return measuring(row, moving);
    case 'searching':
      return strain ? lowered(row, moving, strain) : searching(row, moving);
    case 'draining':
      return draining(row, moving);
    case 'steady':
      return strain ? lowered(row, moving, strain) : steady(row, moving);
    default:
      return unreachable(row.phase);
  }
}

/** So many first jobs must be seen before a rate adapts at once: fewer say nothing about what is usual. */
const readyFirst = 6;

function measuring(row: BearingRow, moving: Moving): Moved {
  const { signs, admission, usualMs } = moving;
  const isMeasured = admission.from === 'at-once' ? row.ready >= readyFirst : row.measuredMs >= measuredForMs;
  if (!isMeasured || row.usual === undefined) return { next: { ...row, everyMs: usualMs }, because: measuringText(row, admission) };
  if (signs.strain) return lowered(row, moving, signs.strain);
  return signs.hasRoom ? doubled(row, moving) : { next: row, because: `it has no room for more: first jobs take ${readyText(row)}` };
}

/** A rate is looked at for so long, and for so many first jobs, before it doubles. */
const searchMs = 20 * secondMs;
const searchReady = 8;
/** After so long with neither room nor strain it has what it bears. */
const betweenMs = 2 * minuteMs;

function searching(row: BearingRow, moving: Moving): Moved {
  const { bearing, signs, admission } = moving;
  const because = bears(row, admission);
  const forMs = row.at - row.since;
  const seenMs = Math.max(searchMs, (row.usual?.medianMs ?? 0) + bearing.overMs, searchReady * row.everyMs);
  if (forMs < seenMs) return { next: row, because };
  // Client systems come late at a rate that was low a moment ago: they ask again within a minute.
  if (!isUsed(row, 0.4)) return { next: counting(row), because };
  if (signs.hasRoom) return doubled(row, moving);
  if (forMs < seenMs + betweenMs) return { next: row, because };
  return { next: counting({ ...row, phase: 'steady', boreEveryMs: Math.round(row.everyMs * shareOf(1)), raised: 1 }), because };
}

function doubled(row: BearingRow, { admission, usualMs }: Moving): Moved {
  const everyMs = within(row.everyMs / 2, admission, slowest * usualMs);
  const next = counting({ ...row, phase: 'searching', everyMs });
  return { next, because: everyMs === row.everyMs ? bears(row, admission) : raisedText(row) };
}

/** How much of what a strained node gets done it may admit until the others are done: the least, and the most. */
const drainsBy = { least: 0.5, most: 0.8 } as const;
/** In what time those that wait too many should be done. */
const drainMs = minuteMs;
/** A node that gets this share of what it admits done was strained by chance, or has just begun to be. */
const nearly = 0.85;
/** A strained node admits at most this many times as slowly as usual; one whose load alone is high, as usual. */
const slowest = 4;

/** Sets the rate below what the node gets done, so that those that wait become fewer. */
function lowered(row: BearingRow, { admission, usualMs }: Moving, strain: NonNullable<Signs['strain']>): Moved {
  const bore = boreOf(row);
  const tooMany = Math.max(0, row.waiting - bore * meanMs(row));
  const lower = clamp(bore - tooMany / drainMs, drainsBy.least * bore, drainsBy.most * bore);
  const everyMs = within(1 / lower, admission, (strain.byLoad ? 1 : slowest) * usualMs);
  // A rate that has just doubled was never borne; the one before was.
  const proven = row.phase === 'searching' ? 2 * row.everyMs : (row.boreEveryMs ?? row.everyMs);
  const boreBeforeMs = row.phase === 'draining' ? (row.boreBeforeMs ?? proven) : proven;
  const next = counting({ ...row, phase: 'draining', everyMs, boreEveryMs: Math.round(1 / bore), boreBeforeMs, raised: 0 });
  const does = everyMs < row.everyMs ? 'raised' : 'lowered';
  return { next, because: `${does} from one per ${seconds(row.everyMs)}: ${strain.because}` };
}

/** How many client systems a ms a strained node bears: by what it gets done, and not less than a part of its rate. */
function boreOf(row: BearingRow): number {
  const [rate, done] = [1 / row.everyMs, row.readyPerS / secondMs];
  if (row.phase === 'draining') return done;
  // Client systems that are new come by themselves: then more are done than the rate admits, and it is too low.
  const isByRate = row.accepted <= atMost(2 * rate * (row.at - row.since));
  if (!isByRate) return Math.max(done, rate / 4);
  return done > nearly * rate ? rate : Math.max(done, rate / 4);
}

/** For how long a lower rate may take to show, and after how long one that does not help is lowered once more. */
const showsMs = 30 * secondMs;
const helpsMs = minuteMs;

function draining(row: BearingRow, moving: Moving): Moved {
  const { bearing, load1, admission } = moving;
  const forMs = row.at - row.since;
  if (isDrained(row, bearing, { load1, readyWithinMs: admission.readyWithinMs })) return drained(row, moving);
  const grows = forMs >= showsMs && row.waiting > mostly(row.waited);
  // Those that are overdue are no longer counted as waiting, and are not done either.
  const stays = forMs >= helpsMs && row.ready < row.accepted;
  // Client systems whose turn came before it was lowered come at any rate: a still lower one does not help.
  const isLow = secondMs / row.everyMs <= drainsBy.least * row.readyPerS;
  if ((grows || stays) && !isLow)
    return lowered(row, moving, { because: `${row.waiting} client systems still wait for their first job`, byLoad: false });
  // What it gets done while others wait is what it can bear.
  const isShown = forMs >= searchMs && row.ready > 0;
  return { next: isShown ? { ...row, boreEveryMs: Math.round(forMs / row.ready) } : row, because: drainingText(row) };
}

function drained(row: BearingRow, { admission, usualMs }: Moving): Moved {
  const boreEveryMs = row.boreEveryMs ?? row.everyMs;
  // It bore more than twice as much before: what was wrong with it may be over.
  const phase = boreEveryMs > 2 * (row.boreBeforeMs ?? boreEveryMs) ? 'searching' : 'steady';
  const next = counting({ ...row, phase, everyMs: within(boreEveryMs / shareOf(0), admission, slowest * usualMs) });
  return { next, because: `it got one per ${seconds(boreEveryMs)} done while it was strained` };
}

/**
 * How much of what it bore a node admits, by how often the rate was raised since the last strain. It stays a little
 * below for most of the time, so that the forecast holds; the further it gets beyond, the larger the steps.
 */
const shareOf = (raised: number): number => (raised <= 3 ? 0.9 + 0.05 * raised : 1.05 + 0.1 * (2 ** (raised - 3) - 1));

/** How long each of these shares is kept before the next is tried, in ms. */
const keptMs = (raised: number): number => (raised === 1 ? 5 * minuteMs : raised < 4 ? 1.5 * minuteMs : minuteMs);

function steady(row: BearingRow, { signs, admission, usualMs }: Moving): Moved {
  const because = bears(row, admission);
  if (row.at - row.since < keptMs(row.raised)) return { next: row, because };
  if (!signs.hasRoom || !isUsed(row, 0.6) || row.everyMs === admission.atMostEveryMs) return { next: counting(row), because };
  const everyMs = within((row.boreEveryMs ?? row.everyMs) / shareOf(row.raised + 1), admission, slowest * usualMs);
  const next = counting({ ...row, everyMs: Math.min(row.everyMs, everyMs), raised: row.raised + 1 });
  return { next, because: next.everyMs === row.everyMs ? because : raisedText(row) };
}

/** The row with its counts from now on. */
const counting = (row: BearingRow): BearingRow => ({ ...row, since: row.at, accepted: 0, ready: 0, waited: row.waiting });

/** At least this share of those accepted since a rate was set must have had a job before it is raised. */
const doneLeast = 0.4;

/** Whether a rate shows something: this share of what it allows was accepted, and enough was done by then. */
const isUsed = ({ accepted, ready, since, at, everyMs }: BearingRow, share: number): boolean =>
  accepted >= (share * (at - since)) / everyMs && ready >= doneLeast * accepted;

const within = (everyMs: number, { atMostEveryMs }: Admission, slowestMs: number): number =>
  Math.round(Math.max(atMostEveryMs, Math.min(everyMs, slowestMs)));

import type { PlannedChange } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Move } from '../map/board.ts';
import { generationAt, standingAt } from '../map/rows/roster.ts';
import { admits, serves, standings } from '../map/rows/standing.ts';
import type { StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';
import { type Admitting, queued } from './queue.ts';
import { ratesAfter } from './rates.ts';
import { scheduleChanges } from './rows/pages.ts';
import { type AdmissionSchedule, endOf } from './turn.ts';

/** The turns of moved clients once a plan is carried out; undefined when they stay as they are. */
export function scheduleAfter(
  snapshot: ZoneSnapshot,
  moves: readonly Move[],
  round: readonly StandingDecision[],
  now: EpochMs,
): AdmissionSchedule | undefined {
  const { zone, counts } = snapshot;
  const { head, map, turns } = zone;
  const decisionOf = new Map(round.map((one) => [one.index, one]));
  const codeOf = (index: number): number =>
    decisionOf.has(index) ? standings[decisionOf.get(index)!.standing] : standingAt(head.roster, index);
  const rates = ratesAfter(snapshot, round);
  const moved = admitting(snapshot, moves, round);
  if (moved.length === 0 && turns.of.size === 0) return undefined;
  const owners = new Map(moves.map(({ slot, owner }) => [slot, owner]));
  const awayMsOf = (index: number): number => {
    const one = decisionOf.get(index);
    return one?.standing === 'up' && one.read.body.status === 'down' ? now - one.read.body.downAt : 0;
  };
  const ownerOf = (slot: number): number => owners.get(slot) ?? map.owner[slot]!;
  const after = queued(
    {
      turns,
      slots: head.slots,
      ownerOf,
      counts,
      everyMsOf: (index) => rates(index).everyMs,
      awayMsOf,
      admits: (index) => admits(codeOf(index)),
      serves: (index) => serves(codeOf(index)),
    },
    moved,
    now,
  );
  return isOnlyShorter(turns, after, now) ? undefined : after;
}

/** The rows that hold these turns. Pages that an earlier zone of the same name left are rewritten. */
export const scheduleChangesOf = (
  { zone: { head, turns }, scheduleRevs }: ZoneSnapshot,
  after: AdmissionSchedule,
  version: number,
): PlannedChange[] =>
  scheduleChanges(head.name, { before: head.turnsVersion === undefined ? undefined : turns, after, revs: scheduleRevs }, version);

/** Slots whose clients must be admitted: by another owner, or by a new node under the index of the previous one. */
function admitting({ zone: { map, head } }: ZoneSnapshot, moves: readonly Move[], round: readonly StandingDecision[]): Admitting[] {
  const renewed = new Set(round.filter((one) => isRenewed(head.roster, one)).map((one) => one.index));
  const moved = moves.filter(({ from, owner }) => from !== owner);
  if (renewed.size === 0) return moved;
  const seen = new Set(moved.map(({ slot }) => slot));
  const { owner } = map;
  const own: Admitting[] = [];
  for (let slot = 0; slot < owner.length; slot++) {
    const index = owner[slot]!;
    if (renewed.has(index) && !seen.has(slot)) own.push({ slot, from: index, owner: index });
  }
  return [...moved, ...own];
}

/** The node is up for the first time where slots already wait: it has joined, or taken the place of another. */
export const isRenewed = (roster: Uint8Array, { before, standing, index, tookOver }: StandingDecision): boolean =>
  tookOver !== undefined || (before === 'joining' && standing === 'up' && generationAt(roster, index) > 0);

/** Turns that are over need no write, because readers compute that. */
const isOnlyShorter = (before: AdmissionSchedule, after: AdmissionSchedule, now: EpochMs): boolean =>
  before.slots === after.slots &&
  [...after.of].every(([slot, turn]) => {
    const was = before.of.get(slot);
    return was?.at === turn.at && was.clients === turn.clients && was.everyMs === turn.everyMs && was.from === turn.from;
  }) &&
  [...before.of].every(([slot, turn]) => after.of.has(slot) || endOf(turn) <= now);

/**
 * Until when the clients of a node that gives its slots away wait for their turns elsewhere, at the longest; undefined
 * when none does.
 */
export function awaitedUntil({ of }: AdmissionSchedule, index: number, now: EpochMs): EpochMs | undefined {
  let until: EpochMs | undefined;
  for (const turn of of.values()) {
    const end = endOf(turn);
    if (turn.from === index && end > now && (until === undefined || end > until)) until = end;
  }
  return until;
}

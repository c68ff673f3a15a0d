import { type EpochMs, minuteMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import type { BearingRow } from '../../../../lib/nodes/bearing/bearing.ts';
import { decideBearing } from '../../../../lib/nodes/bearing/decide.ts';
import type { Admission } from '../../../../lib/zones/rows/admission.ts';
import { PlayedServer } from '../../../../programs/loadtest/played-server.ts';
import { noon } from '../../../../tools/support/builders.ts';
import { seeded } from '../../../../tools/support/seeded.ts';
import { aBeat } from '../reports.ts';

/** The rate that is safe on any server. */
export const usualMs = 15 * secondMs;

/** A server that is played, and how well Muster hears of it. */
export type Play = {
  readonly seed?: number;
  readonly minutes?: number;
  /** How many client systems it registers a second, by the minute and by how many wait. */
  readonly perS: (minute: number, waiting: number) => number;
  /** How long a first job takes, and how much that varies: the spread of a lognormal distribution. */
  readonly jobMs?: number;
  readonly spread?: number;
  /** This share of client systems is broken, and of heartbeats lost. */
  readonly broken?: number;
  readonly lost?: number;
  readonly beatMs?: number;
  /** How long a new rate takes to reach client systems. */
  readonly lagMs?: number;
  readonly load1?: (minute: number) => number;
  /** How many come in this minute, whatever the rate: such as new ones that somebody accepts. */
  readonly more?: (minute: number) => number;
  readonly admission?: Partial<Admission>;
};

/** How it was at one second: the rate at which client systems come, what the server can do, and how many wait there. */
export type Second = { readonly minute: number; readonly rate: number; readonly perS: number; readonly waiting: number };

/** What was seen of a played server: each second, each change of the rate, and the row at the end. */
export type Played = {
  readonly seconds: readonly Second[];
  readonly changes: readonly { readonly minute: number; readonly rate: number; readonly row: BearingRow; readonly because: string }[];
  readonly row: BearingRow;
  readonly accepted: number;
};

const stepMs = 100;

/** Numbers of a normal distribution, two of a uniform one each. */
const normalOf = (random: () => number) => (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const usualPlay = {
  ...{ seed: 1, minutes: 30, jobMs: 9 * secondMs, spread: 0.3, broken: 0, lost: 0 },
  ...{ beatMs: 10 * secondMs, lagMs: 3 * secondMs, load1: (): number => 0.5, more: (): number => 0, admission: {} },
};

/** Plays a server on which as many client systems wait for their turn as it takes, at the rate that Muster decides. */
export function play(given: Play): Played {
  const { seed, minutes, perS, jobMs, spread, broken, lost, beatMs, lagMs, load1, more, ...others } = { ...usualPlay, ...given };
  const admission: Admission = { from: 'at-once', atMostEveryMs: 500, readyWithinMs: 2 * minuteMs, ...others.admission };
  const random = seeded(seed);
  const normal = normalOf(random);
  let now: EpochMs = noon;
  const minute = (): number => (now - noon) / minuteMs;
  const server = new PlayedServer({
    now: () => now,
    perS: (_now, waiting) => perS(minute(), waiting),
    jobMs: () => jobMs * Math.exp(spread * normal()),
    isBroken: () => random() < broken,
  });
  const seconds: Second[] = [];
  const changes: Played['changes'][number][] = [];
  const coming: { at: EpochMs; everyMs: number }[] = [];
  let row: BearingRow | undefined;
  let [everyMs, turnAt, beatAt, seq, accepted] = [usualMs, plusMs(noon, secondMs), plusMs(noon, beatMs), 0, 0];
  const beat = (): void => {
    const heartbeat = aBeat({ seq, receivedAt: now, bearing: server.meter.read(), load1: load1(minute()) });
    server.meter.acknowledged();
    const decision = decideBearing(row, heartbeat, { generation: 1, usualMs, admission });
    if (decision.does !== 'write') return;
    const isChanged = decision.next.everyMs !== (row?.everyMs ?? usualMs);
    row = decision.next;
    if (!isChanged) return;
    coming.push({ at: plusMs(now, lagMs), everyMs: row.everyMs });
    changes.push({ minute: minute(), rate: secondMs / row.everyMs, row, because: decision.because });
  };
  for (; now < noon + minutes * minuteMs; now = plusMs(now, stepMs)) {
    for (; coming[0] && coming[0].at <= now; coming.shift()) {
      everyMs = coming[0].everyMs;
      turnAt = Math.min(turnAt, now + everyMs) as EpochMs;
    }
    for (; turnAt <= now; accepted++, turnAt = plusMs(turnAt, everyMs * (0.5 + random()))) server.accept(`system ${accepted}`);
    if ((now - noon) % minuteMs === 0) for (let n = more(minute()); n > 0; n--) server.accept(`new ${minute()}.${n}`);
    server.work();
    if (now >= beatAt) {
      beatAt = plusMs(beatAt, beatMs * (0.9 + 0.2 * random()));
      seq += 1;
      if (random() >= lost) beat();
    }
    if ((now - noon) % secondMs === 0)
      seconds.push({ minute: minute(), rate: secondMs / everyMs, perS: perS(minute(), server.waiting), waiting: server.waiting });
  }
  return { seconds, changes, row: row!, accepted };
}

/** When the rate of a node began to adapt, in minutes. */
export const beganAt = ({ changes }: Played): number => changes[0]?.minute ?? Number.NaN;

/** The longest stretch of these seconds, one after the other, for which something holds. */
export function longest(seconds: readonly Second[], holds: (second: Second) => boolean): number {
  let [most, now] = [0, 0];
  for (const second of seconds) {
    now = holds(second) ? now + 1 : 0;
    most = Math.max(most, now);
  }
  return most;
}

/** The mean of a number over these seconds. */
export const mean = (seconds: readonly Second[], of: (second: Second) => number): number =>
  seconds.reduce((sum, second) => sum + of(second), 0) / seconds.length;

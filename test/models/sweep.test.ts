import fc from 'fast-check';
import { describe, it } from 'vitest';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import { decideSweep as productDecide, SweepRow } from '../../lib/deployment/rows/sweep.ts';
import { always, command, findsFault, keeps, law, type Model } from './model.ts';
import { KeptRow } from './row.ts';

const periodMs = 5_000;
const lapsedAgoMs = 3_000;
/** The lease at the two intervals that a sweep is told: three beats with their jitter, and 5 s. */
const leaseMs = { 10000: 38_000, 1000: 8_300 } as const;

type Step = {
  readonly before: SweepRow | undefined;
  readonly after: SweepRow | undefined;
  readonly now: EpochMs;
  readonly intervalMs: keyof typeof leaseMs;
  readonly began: boolean;
  /** How many of ten leases ran out a moment before. */
  readonly lapsed: number;
};
const isGranted = ({ before, after }: Step): boolean => after?.graceUntil !== before?.graceUntil;
/** Four of ten are 40 %; those that had run out when the last sweep began were its. */
const isMany = ({ before, now, lapsed }: Step): boolean => before !== undefined && lapsed >= 4 && now - lapsedAgoMs > before.sweptAt;
const silentMs = ({ before, now }: Step): number => (before ? now - before.sweptAt : 0);

const laws = [
  law<Step>('a sweep that has begun is noted, unless another began just before', ({ before, after, now, began }) =>
    before && now - before.sweptAt < periodMs / 2 ? !began : began && after?.sweptAt === now,
  ),
  law<Step>('the moment of the last sweep never goes back', ({ before, after }) => (after?.sweptAt ?? 0) >= (before?.sweptAt ?? 0)),
  law<Step>('a grace is one lease from now', (step) => !isGranted(step) || step.after?.graceUntil === step.now + leaseMs[step.intervalMs]),
  law<Step>(
    'a grace is granted only to a sweep that slept, two periods late and longer than a heartbeat, or that finds many leases run out at once',
    (step) => !isGranted(step) || isMany(step) || (silentMs(step) > 3 * periodMs && silentMs(step) > step.intervalMs),
  ),
  law<Step>(
    'a sweep that slept is granted a grace, when none was lately',
    (step) => step.before === undefined || step.before.graceUntil !== undefined || silentMs(step) <= 3 * periodMs || isGranted(step),
  ),
  law<Step>(
    'a sweep that finds many leases run out at once is granted a grace, when none was lately',
    (step) => !isMany(step) || !step.began || step.before?.graceUntil !== undefined || isGranted(step),
  ),
  law<Step>(
    'between two graces nodes can expire for a lease',
    (step) => !isGranted(step) || step.before?.graceUntil === undefined || step.now > step.before.graceUntil + leaseMs[step.intervalMs],
  ),
];

const aModelOf = (decide: typeof productDecide): Model<object, KeptRow<SweepRow>> => ({
  begin: () => ({ model: {}, real: new KeptRow<SweepRow>({ noun: 'sweep', id: 'sweep' }, SweepRow) }),
  commands: [
    fc.constantFrom(-2_000, 100, 2_500, 5_000, 12_000, 16_000, 40_000, 600_000).map((ms) =>
      // Clocks of two environments may differ: one may find that the other swept a moment from now.
      command(`wait ${ms}`, async (_model, row) => row.shell.step(ms)),
    ),
    fc.tuple(fc.constantFrom(10_000 as const, 1_000 as const), fc.constantFrom(0, 0, 3, 4, 10)).map(([intervalMs, lapsed]) =>
      command(`sweep, beats every ${intervalMs}, ${lapsed} of 10 leases ran out`, async (_model, row) => {
        const before = row.state;
        const ranOutAt = Array.from({ length: lapsed }, () => plusMs(row.shell.now(), -lapsedAgoMs));
        const { does } = await row.take({ id: row.newId(), periodMs, intervalMs, ranOutAt, admitted: 10 }, decide);
        keeps(laws, { before, after: row.state, now: row.shell.now(), intervalMs, began: does === 'write', lapsed });
      }),
    ),
  ],
});

describe("the sweep's row", () => {
  it('keeps its laws however late sweeps are', () => always(aModelOf(productDecide), { numRuns: 150 }));

  it('is found out when a sweep that is late time and again is granted every time', () =>
    findsFault(
      aModelOf((row, begins, now) => {
        const afresh = productDecide(row && { sweptAt: row.sweptAt }, begins, now);
        return afresh.does === 'write' && afresh.next.graceUntil !== undefined ? afresh : productDecide(row, begins, now);
      }),
      'between two graces nodes can expire',
    ));
});

import { describe, expect, it } from 'vitest';
import type { Bearing } from '../../../../events/reported/node.ts';
import { hourMs, minuteMs, secondMs } from '../../../../lib/core/time.ts';
import { BearingRow } from '../../../../lib/nodes/bearing/bearing.ts';
import { decideBearing, type Judging } from '../../../../lib/nodes/bearing/decide.ts';
import { paceOf } from '../../../../lib/nodes/bearing/pace.ts';
import type { Admission } from '../../../../lib/zones/rows/admission.ts';
import { at } from '../../../../tools/support/builders.ts';
import { aBeat } from '../reports.ts';
import { play, usualMs } from './play.ts';

const admission: Admission = { from: 'measured', atMostEveryMs: 1_000, readyWithinMs: 2 * minuteMs };
const judging: Judging = { generation: 1, usualMs, admission };

/** A report of ten seconds in which a client system was accepted, and another had its first job. */
const aBearing = (given: Partial<Bearing> = {}): Bearing => ({
  overMs: 10 * secondMs,
  accepted: 1,
  ready: 1,
  medianMs: 8 * secondMs,
  p90Ms: 9 * secondMs,
  waiting: 1,
  overdue: 0,
  cpus: 4,
  ...given,
});

/** The decision after so many such reports, each ten seconds after the one before. */
function heard(reports: number, given: Partial<Judging> = {}, bearing: Partial<Bearing> = {}) {
  let row: BearingRow | undefined;
  let because = '';
  for (let n = 1; n <= reports; n++) {
    const beat = aBeat({ seq: n, receivedAt: at(10 * n), bearing: aBearing(bearing) });
    const decision = decideBearing(row, beat, { ...judging, ...given });
    because = decision.because;
    if (decision.does === 'write') row = decision.next;
  }
  return { row: row!, because };
}

describe('the rate of a node', () => {
  it('is the usual one until an hour was measured in which it admitted, and then rises', () => {
    const [early, late] = [heard(180), heard(360)];
    expect([early.row.everyMs, early.because]).toEqual([usualMs, 'it goes by the usual rate until an hour is measured, 29 min so far']);
    expect([late.row.everyMs, late.row.phase]).toEqual([usualMs, 'measuring']);
    expect(heard(361)).toMatchObject({
      row: { everyMs: usualMs / 2, phase: 'searching' },
      because: 'raised from one per 15 s: first jobs take 9 s',
    });
  });

  it('is not measured while it admits nobody', () => {
    const { row, because } = heard(400, {}, { accepted: 0, ready: 0, waiting: 0, medianMs: undefined, p90Ms: undefined });
    expect([row.phase, row.measuredMs, because]).toEqual(['measuring', 0, 'it admitted nobody']);
  });

  it('adapts at once where an operator says so, once a few client systems have had a job', () => {
    const atOnce = { admission: { ...admission, from: 'at-once' as const } };
    expect(heard(5, atOnce).because).toBe('it goes by the usual rate until the first client systems have had a job');
    expect(heard(6, atOnce).row.everyMs).toBe(usualMs / 2);
  });

  it('does not rise where the usual one is already too much', () => {
    const { row, because } = heard(361, {}, { waiting: 9, medianMs: 70 * secondMs, p90Ms: 110 * secondMs });
    expect([row.everyMs, because]).toEqual([usualMs, 'it has no room for more: first jobs take 110 s']);
  });

  it('stays where it is while it is not used', () => {
    const searching = heard(361).row;
    let row = searching;
    for (let n = 362; n < 500; n++) {
      const bearing = aBearing({ accepted: n % 10 === 0 ? 1 : 0, ready: 0, waiting: 1, medianMs: undefined, p90Ms: undefined });
      const decision = decideBearing(row, aBeat({ seq: n, receivedAt: at(10 * n), bearing }), judging);
      if (decision.does === 'write') row = decision.next;
    }
    expect([row.everyMs, row.phase]).toEqual([searching.everyMs, 'searching']);
  });

  it('is lowered at the first sign of strain, to less than the node gets done', () => {
    const { changes } = play({ perS: () => 0.5, minutes: 12 });
    const first = changes.find(({ row }) => row.phase === 'draining')!;
    expect(first.because).toMatch(
      /^lowered from one per [\d.]+ s: (\d+ client systems wait for their first job|first jobs take [\d.]+ s)$/,
    );
    expect(first.rate).toBeLessThan(0.45);
    const next = changes[changes.indexOf(first) + 1]!;
    expect([next.row.phase, next.because]).toEqual([
      'steady',
      expect.stringMatching(/^it got one per [\d.]+ s done while it was strained$/),
    ]);
  });

  it('is raised when more came than it admits, and the node got more done than that', () => {
    const row = { ...heard(361).row, at: at(4_000), since: at(3_990), everyMs: 7_500, readyPerS: 0.5 };
    const bearing = aBearing({ accepted: 30, ready: 9, waiting: 24 });
    const decision = decideBearing(row, aBeat({ seq: 500, receivedAt: at(4_010), bearing }), judging);
    expect(decision).toMatchObject({
      next: { phase: 'draining' },
      because: 'raised from one per 7.5 s: 24 client systems wait for their first job',
    });
    expect(decision.does === 'write' && decision.next.everyMs).toBeLessThan(4_000);
  });

  it('is lowered when client systems have no first job at all, though none is counted as waiting', () => {
    const row = { ...heard(361).row, at: at(4_000), since: at(3_700), everyMs: 2_000 };
    const beat = aBeat({
      seq: 500,
      receivedAt: at(4_010),
      bearing: aBearing({ ready: 0, overdue: 8, medianMs: undefined, p90Ms: undefined }),
    });
    const decision = decideBearing(row, beat, judging);
    expect(decision.because).toBe('lowered from one per 2 s: 8 client systems had no first job for minutes');
  });

  it('is never slower than four times the usual one, however little is done', () => {
    const { seconds } = play({ perS: (minute) => (minute < 10 ? 1 : 0.0001), minutes: 60 });
    expect(Math.min(...seconds.map(({ rate }) => rate))).toBeCloseTo(1 / 60);
  });

  it('is within a ceiling that is lowered, from the next report on', () => {
    const row = { ...heard(361).row, everyMs: 1_000 };
    const beat = aBeat({ seq: 400, receivedAt: at(4_000), bearing: aBearing() });
    const decision = decideBearing(row, beat, { ...judging, admission: { ...admission, atMostEveryMs: 5_000 } });
    expect(decision).toMatchObject({ does: 'write', next: { everyMs: 5_000 } });
  });
});

describe('a report of what a node bears', () => {
  it('that was taken in, or is older, changes nothing', () => {
    const { row } = heard(3);
    for (const [incarnation, seq] of [
      [1, 3],
      [1, 2],
    ] as const) {
      const beat = aBeat({ incarnation, seq, receivedAt: at(99), bearing: aBearing() });
      expect(decideBearing(row, beat, judging)).toEqual({ does: 'nothing', because: 'a report from before the one on record' });
    }
    const booted = decideBearing(row, aBeat({ incarnation: 2, seq: 1, receivedAt: at(99), bearing: aBearing() }), judging);
    expect(booted).toMatchObject({ does: 'write', next: { incarnation: 2, seq: 1, measuredMs: row.measuredMs + 10_000 } });
  });

  it('of a node that has joined anew begins anew: another machine may be behind its name', () => {
    const { row } = heard(361);
    const beat = aBeat({ incarnation: 2, seq: 1, receivedAt: at(9_000), bearing: aBearing() });
    const decision = decideBearing(row, beat, { ...judging, generation: 2 });
    expect(decision).toMatchObject({ does: 'write', next: { generation: 2, phase: 'measuring', everyMs: usualMs, measuredMs: 0 } });
  });

  it('is missing in a heartbeat of an older agent, which changes nothing', () => {
    expect(decideBearing(undefined, aBeat(), judging).does).toBe('nothing');
  });

  it('makes a row that its schema takes, of a few hundred bytes', () => {
    for (const { row } of play({ perS: () => 0.7 }).changes) {
      expect(BearingRow.parse(row)).toEqual(row);
      expect(JSON.stringify(row).length).toBeLessThan(450);
    }
  });
});

describe('the rate that a zone goes by', () => {
  const row = heard(361).row;
  const paced = (given: Partial<BearingRow>, from: Admission['from'] = 'measured') => paceOf({ ...row, ...given }, { ...admission, from });

  it('names how fast it may become while clients wait without asking', () => {
    expect(paced({})).toEqual({ everyMs: 7_500, soonestMs: 1_000, readyMs: 9_000 });
    expect(paced({ phase: 'steady', everyMs: 2_000, boreEveryMs: 1_900, raised: 1 })).toMatchObject({ everyMs: 2_000, soonestMs: 1_600 });
    expect(paced({ phase: 'steady', everyMs: 2_000, boreEveryMs: 2_100, raised: 4 })).toMatchObject({ soonestMs: 1_000 });
    expect(paced({ phase: 'draining', everyMs: 3_000, boreEveryMs: 2_000 })).toMatchObject({ soonestMs: 1_000 });
    expect(paced({ phase: 'steady', everyMs: 1_000, boreEveryMs: 950, raised: 1 })).not.toHaveProperty('soonestMs');
  });

  it('is known on average once the node was strained: by that client systems are forecast', () => {
    expect(paced({ phase: 'searching', everyMs: 4_000 })).not.toHaveProperty('onAverageMs');
    expect(paced({ phase: 'draining', everyMs: 4_000, boreEveryMs: 2_000 })).toMatchObject({ onAverageMs: 2_000 });
    expect(paced({ phase: 'steady', everyMs: 2_200, boreEveryMs: 2_000 })).toMatchObject({ onAverageMs: 2_000 });
  });

  it('may rise soon once most of the hour is measured, or when it adapts at once', () => {
    const measuring = { phase: 'measuring', everyMs: usualMs } as const;
    expect(paced({ ...measuring, measuredMs: 0.5 * hourMs })).toEqual({ everyMs: usualMs });
    expect(paced({ ...measuring, measuredMs: 0.8 * hourMs })).toEqual({ everyMs: usualMs, soonestMs: 1_000 });
    expect(paced({ ...measuring, measuredMs: 0 }, 'at-once')).toEqual({ everyMs: usualMs, soonestMs: 1_000 });
  });
});

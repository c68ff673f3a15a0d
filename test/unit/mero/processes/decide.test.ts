import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProcessReport } from '../../../../events/reported/process.ts';
import type { Decision } from '../../../../lib/core/decision.ts';
import { decide, type ProcessInput } from '../../../../lib/mero/processes/decide.ts';
import { tryAnew } from '../../../../lib/mero/processes/forgotten.ts';
import type { Surroundings } from '../../../../lib/mero/processes/move.ts';
import type { MeroProcess } from '../../../../lib/mero/processes/process.ts';
import { limitsOf } from '../../../../lib/mero/processes/rows/limits.ts';
import { at, nodeId, noon } from '../../../../tools/support/builders.ts';
import { aProcess, processTypes, serviceFid } from '../../../support/mero.ts';
import { aReport } from './reports.ts';

const limits = limitsOf({ vars: {} });
const toRun: Surroundings = { goal: 'run', limits };
const toStop: Surroundings = { goal: 'stop', limits };
const watched: Surroundings = { goal: 'watch', limits };
const life = { pid: 4711, born: 'b.1' };
const tick: ProcessInput = { type: 'tick', isAway: false };

/** What a decision makes of a row, and what is published. */
const outcome = (decision: Decision<MeroProcess>) =>
  decision.does === 'write'
    ? { is: decision.next.state.is, events: decision.events.map(({ type }) => type), wakeAt: decision.wakeAt }
    : { does: decision.does, because: decision.because };
const written = (decision: Decision<MeroProcess>): MeroProcess => {
  if (decision.does !== 'write') throw new Error(`nothing was written: ${decision.because}`);
  return decision.next;
};
const say = (type: ProcessReport['type'], data: object = {}, stamps: Partial<ProcessReport> = {}) =>
  aReport(type, { ...life, ...data }, stamps);

describe('a process that is started', () => {
  it('is starting and has its time, then online; the life on record is the one that was told', () => {
    const starting = decide(aProcess(), aReport('process.starting', {}, { seq: 1 }), toRun, at(1));
    expect(outcome(starting)).toEqual({ is: 'starting', events: ['process.starting'], wakeAt: at(181) });
    const online = decide(written(starting), say('process.started', {}, { seq: 2 }), toRun, at(5));
    expect(outcome(online)).toEqual({ is: 'online', events: ['process.online'], wakeAt: undefined });
    expect(written(online)).toMatchObject({ running: life, since: at(5), heard: { node: nodeId(1), incarnation: 1, seq: 2 } });
  });

  it('begins with its services whole, and forgets the life before', () => {
    const before = aProcess({
      state: { is: 'failed', reason: 'exited' },
      services: [{ fid: serviceFid(1), type: 'CST_IOS', failed: true }],
    });
    const starting = written(decide(before, aReport('process.starting', {}, { seq: 1 }), toRun, at(1)));
    expect(starting.services).toEqual([{ fid: serviceFid(1), type: 'CST_IOS' }]);
    expect(starting.running).toBeUndefined();
  });

  it('is refused as ready from any state but starting, and stays as it is (reference: 37)', () => {
    const decision = decide(aProcess(), say('process.started'), toRun, at(1));
    expect(decision).toEqual({ does: 'nothing', because: 'it is offline: it cannot become online', refused: true });
  });

  it('runs where the word that its attempt is ready overtakes the one that it begins, which says nothing then', () => {
    const tried = aProcess({ state: { is: 'failed', reason: 'exited' }, attempts: limits.attemptsMax, start: 5, retryAt: at(180) });
    const online = written(decide(tried, aReport('process.started', { pid: 8 }, { seq: 9 }), toRun, at(1)));
    expect(online).toMatchObject({ state: { is: 'online' }, running: { pid: 8 } });
    expect(decide(online, aReport('process.starting', { pid: 8 }, { seq: 8 }), toRun, at(2))).toMatchObject({ does: 'nothing' });
    const { retryAt: _none, ...over } = tried;
    expect(decide(over, aReport('process.started', { pid: 8 }, { seq: 9 }), toRun, at(1))).toMatchObject({ refused: true });
  });

  it('has failed when its failure overtakes its start, and is tried again', () => {
    const report = aReport('process.failed', { reason: 'exit status 1' }, { seq: 2 });
    const failed = decide(aProcess(), report, toRun, at(1));
    expect(outcome(failed)).toEqual({ is: 'failed', events: ['process.failed'], wakeAt: at(6) });
    expect(outcome(decide(written(failed), aReport('process.starting', {}, { seq: 1 }), toRun, at(2)))).toMatchObject({ does: 'nothing' });
    expect(decide(aProcess(), report, toStop, at(1))).toMatchObject({ does: 'nothing', refused: true });
  });

  it('has failed when it takes longer than it may, and not before', () => {
    const starting = aProcess({ state: { is: 'starting' }, since: noon });
    expect(outcome(decide(starting, tick, toRun, at(179)))).toEqual({
      does: 'nothing',
      because: 'starting; its time limit has not passed',
    });
    const failed = decide(starting, tick, toRun, at(180));
    expect(written(failed).state).toEqual({ is: 'failed', reason: 'start timeout' });
    expect(outcome(failed)).toEqual({ is: 'failed', events: ['process.failed'], wakeAt: at(185) });
  });

  it('has the time that its cluster gives it', () => {
    const starting = aProcess({ state: { is: 'starting' }, since: noon });
    const quick = { ...toRun, limits: limitsOf({ vars: { process_start_timeout: 7 } }) };
    expect(outcome(decide(starting, tick, quick, at(7)))).toMatchObject({ is: 'failed' });
  });

  it('has longer while its node is silent, and while Muster may have slept', () => {
    const starting = aProcess({ state: { is: 'starting' }, since: noon });
    expect(decide(starting, { ...tick, isAway: true }, toRun, at(500))).toEqual({
      does: 'nothing',
      because: 'its node is silent',
      wakeAt: at(560),
    });
    const grace = { type: 'tick', isAway: false, graceUntil: at(600) } as const;
    expect(decide(starting, grace, toRun, at(500))).toMatchObject({ does: 'nothing', wakeAt: at(600) });
  });
});

describe('a process that ends', () => {
  const online = aProcess({ state: { is: 'online' }, running: life });
  const app = aProcess({ state: { is: 'online' }, running: life, type: processTypes.app });

  it('goes by quiescing and stopping to offline when it is to stop, strictly', () => {
    const stopping = decide(online, say('process.stopping', {}, { seq: 1 }), toStop, at(1));
    expect(outcome(stopping)).toEqual({ is: 'stopping', events: ['process.stopping'], wakeAt: at(601) });
    const stopped = decide(written(stopping), say('process.stopped', { exit: 0 }, { seq: 2 }), toStop, at(2));
    expect(outcome(stopped)).toEqual({ is: 'offline', events: ['process.stopped'], wakeAt: undefined });
    expect(written(stopped).running).toBeUndefined();
  });

  it('has stopped all the same when nobody heard that it began to', () => {
    expect(outcome(decide(online, say('process.stopped'), toStop, at(1)))).toMatchObject({ is: 'offline' });
    const starting = aProcess({ state: { is: 'starting' } });
    expect(outcome(decide(starting, say('process.stopped'), toStop, at(1)))).toMatchObject({ is: 'offline' });
  });

  it('has failed when it was to run, and is started again', () => {
    const failed = decide(online, say('process.stopped', { exit: 139 }), toRun, at(1));
    expect(written(failed)).toMatchObject({ state: { is: 'failed', reason: 'exited with status 139' }, attempts: 0, retryAt: at(6) });
    expect(outcome(failed)).toEqual({ is: 'failed', events: ['process.failed'], wakeAt: at(6) });
  });

  it('may end as it likes when it is its own master', () => {
    expect(outcome(decide(app, say('process.stopped', { exit: 1 }), watched, at(1)))).toMatchObject({
      is: 'offline',
      events: ['process.stopped'],
    });
    expect(outcome(decide(app, say('process.stopping'), watched, at(1)))).toMatchObject({ is: 'stopping' });
    const failed = decide(app, say('process.failed', { reason: 'disk full' }), watched, at(1));
    expect(written(failed)).not.toHaveProperty('retryAt');
  });

  it('stays offline when reports of its lives before arrive after the last one', () => {
    const ended = decide(aProcess({ type: processTypes.app }), say('process.stopped', {}, { seq: 9 }), watched, at(1));
    expect(outcome(ended)).toEqual({ is: 'offline', events: [], wakeAt: undefined });
    const late = [say('process.starting', {}, { seq: 7 }), say('process.started', {}, { seq: 8 })];
    expect(late.map((report) => outcome(decide(written(ended), report, watched, at(2))))).toEqual([
      { does: 'nothing', because: 'report 7 after report 9' },
      { does: 'nothing', because: 'report 8 after report 9' },
    ]);
  });

  it('has failed when it takes longer to stop than it may, and is left alone', () => {
    const stopping = aProcess({ state: { is: 'stopping' }, since: noon, running: life });
    const failed = decide(stopping, tick, toStop, at(600));
    expect(written(failed).state).toEqual({ is: 'failed', reason: 'stop timeout' });
    expect(outcome(failed)).toMatchObject({ wakeAt: undefined });
  });

  it('does not end by a word about another life (reference: 37), nor about the same pid of another boot', () => {
    const other = decide(online, say('process.stopped', { pid: 12 }), toRun, at(1));
    expect(outcome(other)).toEqual({ does: 'nothing', because: 'report about pid 12; pid 4711 is on record' });
    expect(outcome(decide(online, say('process.failed', { reason: 'x', born: 'b.0' }), toRun, at(1)))).toMatchObject({ does: 'nothing' });
  });
});

describe('what comes late or twice', () => {
  const heard = { node: nodeId(1), incarnation: 3, seq: 7 };
  const online = aProcess({ state: { is: 'online' }, running: life, heard });

  it.each([
    ['an older word', { incarnation: 3, seq: 6 }, 'report 6 after report 7'],
    ['the same again', { incarnation: 3, seq: 7 }, 'report 7 after report 7'],
    ['a word of a boot before', { incarnation: 2, seq: 90 }, 'report of incarnation 2; the last was of 3'],
  ])('changes nothing › %s', (_what, stamps, because) => {
    expect(decide(online, say('process.stopped', {}, stamps), toRun, at(1))).toEqual({ does: 'nothing', because });
  });

  it('is heard when it is newer, of a later boot, or of another node', () => {
    for (const stamps of [
      { incarnation: 3, seq: 8 },
      { incarnation: 4, seq: 1 },
      { node: nodeId(2), incarnation: 1, seq: 1 },
    ])
      expect(outcome(decide(online, say('process.stopped', {}, stamps), toRun, at(1)))).toMatchObject({ is: 'failed' });
  });

  it('by the bus is known by its id and by when it was sent', () => {
    const byBus = (id: string, seconds: number) => {
      const { incarnation: _boot, seq: _number, ...report } = say('process.starting', {}, { id, receivedAt: at(seconds) });
      return report as ProcessReport;
    };
    const once = written(decide(aProcess(), byBus('one', 10), toRun, at(11)));
    expect(once.word).toEqual({ at: at(10), report: 'one' });
    const stopped = { ...once, state: { is: 'offline' } as const };
    expect(decide(stopped, byBus('one', 12), toRun, at(13))).toMatchObject({ does: 'nothing' });
    expect(decide(stopped, byBus('two', 9), toRun, at(13))).toMatchObject({ does: 'nothing' });
    expect(decide(stopped, byBus('two', 12), toRun, at(13))).toMatchObject({ does: 'write' });
  });
});

describe('the rule that starts again what failed by itself', () => {
  /**
   * A process that fails each time as soon as it is started, for so many seconds; every decision that wrote something.
   */
  const failing = (around: Surroundings): { next: MeroProcess; decision: Decision<MeroProcess>; at: number }[] => {
    const found: { next: MeroProcess; decision: Decision<MeroProcess>; at: number }[] = [];
    let process = aProcess({ state: { is: 'online' }, running: life });
    let seq = 0;
    const take = (decision: Decision<MeroProcess>, second: number): void => {
      if (decision.does !== 'write') return;
      process = decision.next;
      found.push({ next: process, decision, at: second });
    };
    take(decide(process, aReport('process.failed', { reason: 'broken' }, { seq: ++seq }), around, at(0)), 0);
    for (let second = 1; second < 600; second++) {
      const before = process.start;
      take(decide(process, tick, around, at(second)), second);
      if (process.start === before) continue;
      take(decide(process, aReport('process.starting', {}, { seq: ++seq }), around, at(second)), second);
      take(decide(process, aReport('process.failed', { reason: 'broken' }, { seq: ++seq }), around, at(second)), second);
    }
    return found;
  };
  const failures = (around: Surroundings) =>
    failing(around).flatMap(({ decision, at: second }) =>
      decision.does === 'write'
        ? decision.events.flatMap((event) =>
            event.type === 'process.failed' ? [{ second, ...(event.data as { attempts: number; retry: boolean }) }] : [],
          )
        : [],
    );

  it('makes five attempts, five seconds apart, and then somebody has to look', () => {
    expect(failures(toRun).map(({ second, attempts, retry }) => [second, attempts, retry])).toEqual([
      [0, 0, true],
      [5, 1, true],
      [10, 2, true],
      [15, 3, true],
      [20, 4, true],
      [25, 5, false],
    ]);
    const last = failing(toRun).at(-1)!.next;
    expect(last).toMatchObject({ state: { is: 'failed', reason: 'broken' }, attempts: 5, start: 5 });
    expect(last).not.toHaveProperty('retryAt');
  });

  it('goes by the variables of the cluster', () => {
    const limits = limitsOf({ vars: { process_max_start_attempts: 2, process_restart_retry_interval: 30 } });
    expect(failures({ goal: 'run', limits }).map(({ second, retry }) => [second, retry])).toEqual([
      [0, true],
      [30, true],
      [60, false],
    ]);
  });

  /**
   * A process that is ready a second after each start and is online for so many seconds then, life by life: each time
   * it fails.
   */
  function crashing(lives: readonly number[]): { attempts: number; retry: boolean }[] {
    const found: { attempts: number; retry: boolean }[] = [];
    let [process, second, seq] = [aProcess(), 0, 0];
    const take = (type: ProcessReport['type'], data: object = {}): void => {
      seq += 1;
      const decision = decide(process, aReport(type, data, { seq }), toRun, at(second));
      process = written(decision);
      if (decision.does !== 'write') return;
      for (const event of decision.events) {
        if (event.type !== 'process.failed') continue;
        const { attempts, retry } = event.data as { attempts: number; retry: boolean };
        found.push({ attempts, retry });
      }
    };
    for (const [n, livesS] of lives.entries()) {
      const born = { pid: 100 + n, born: `b.${n}` };
      take('process.starting', born);
      second += 1;
      take('process.started', born);
      second += livesS;
      take('process.stopped', { ...born, exit: 139 });
      if (process.retryAt === undefined) break;
      second += 5;
      process = written(decide(process, tick, toRun, at(second)));
    }
    return found;
  }

  it('has one that ends soon after it was online each time tried as often as one that never is', () => {
    const all = [0, 1, 2, 3, 4, 5].map((attempts) => ({ attempts, retry: attempts < 5 }));
    expect(crashing(Array.from({ length: 9 }, () => 1))).toEqual(all);
    expect(crashing(Array.from({ length: 9 }, () => 179))).toEqual(all);
  });

  it('begins anew with one that was online for as long as a start may take, and keeps nothing of it on its row till then', () => {
    expect(crashing(Array.from({ length: 9 }, () => 180)).map(({ attempts, retry }) => [attempts, retry])).toEqual(
      Array.from({ length: 9 }, () => [0, true]),
    );
    const first = decide(aProcess({ state: { is: 'starting' }, running: life }), say('process.started'), toRun, at(1));
    expect(written(first)).not.toHaveProperty('attempts');
  });

  it('tries it five times at the most between two lives that have lasted, whatever the lives are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat({ max: 179 }), fc.integer({ min: 180, max: 4_000 })), { minLength: 8, maxLength: 40 }),
        (lives) => {
          const failures = crashing(lives);
          let tried = 0;
          for (const [n, { attempts, retry }] of failures.entries()) {
            if (lives[n]! >= 180) tried = 0;
            expect([attempts, retry]).toEqual([tried, tried < 5]);
            tried += 1;
          }
          expect(failures.length === lives.length || tried === 6).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('does nothing for what is not to run, or not any more', () => {
    expect(failures(toStop).map(({ retry }) => retry)).toEqual([false]);
    const waiting = aProcess({ state: { is: 'failed', reason: 'x' }, attempts: 1, retryAt: at(5) });
    const letGo = written(decide(waiting, tick, toStop, at(5)));
    expect(letGo).toEqual(aProcess({ state: { is: 'failed', reason: 'x' }, attempts: 0 }));
    expect(decide(letGo, tick, toRun, at(500))).toMatchObject({ does: 'nothing' });
  });

  it('tries whom it let go anew once that is to run, but nobody after the last attempt, nor whom an operator says to have failed', () => {
    const letGo = aProcess({ state: { is: 'failed', reason: 'x' }, attempts: 0 });
    expect(tryAnew(letGo, toStop, at(9))).toMatchObject({ does: 'nothing' });
    const again = written(tryAnew(letGo, toRun, at(9)));
    expect(again).toMatchObject({ attempts: 0, retryAt: at(9) });
    expect(written(decide(again, tick, toRun, at(9)))).toMatchObject({ attempts: 1, start: 1 });
    expect(tryAnew(letGo, toRun, at(2))).toMatchObject({ does: 'write', next: { retryAt: at(5) }, wakeAt: at(5) });
    expect(tryAnew(again, toRun, at(9))).toMatchObject({ does: 'nothing' });
    for (const attempts of [limits.attemptsMax, undefined])
      expect(tryAnew({ ...letGo, attempts } as MeroProcess, toRun, at(9))).toMatchObject({ does: 'nothing' });
  });

  it('counts an attempt of which nothing is heard as one that failed', () => {
    const waiting = aProcess({ state: { is: 'failed', reason: 'x' }, attempts: 4, retryAt: at(5) });
    const tried = written(decide(waiting, tick, toRun, at(5)));
    expect(tried).toMatchObject({ attempts: 5, start: 1, retryAt: at(185) });
    const over = decide(tried, tick, toRun, at(185));
    expect(over).toMatchObject({ does: 'write', events: [{ type: 'process.failed', data: { attempts: 5, retry: false } }] });
    expect(decide(written(over), tick, toRun, at(999))).toMatchObject({ does: 'nothing' });
  });

  it('takes the word of an agent that could not even begin for a failed attempt', () => {
    const tried = aProcess({ state: { is: 'failed', reason: 'x' }, attempts: 2, start: 2, retryAt: at(180) });
    expect(written(decide(tried, aReport('process.failed', { reason: 'no such unit' }, { seq: 1 }), toRun, at(1)))).toMatchObject({
      state: { is: 'failed', reason: 'no such unit' },
      attempts: 2,
      retryAt: at(6),
    });
  });

  it('begins anew with one that was forgotten while it was not to run, once the attempt of its agent has failed', () => {
    const forgotten = aProcess({ state: { is: 'failed', reason: 'x' }, start: 2 });
    const word = aReport('process.failed', { reason: 'no such unit' }, { seq: 1 });
    expect(written(decide(forgotten, word, toRun, at(1)))).toMatchObject({ attempts: 0, retryAt: at(6) });
    expect(decide(forgotten, word, toStop, at(1))).toMatchObject({ does: 'nothing', refused: true });
    expect(decide({ ...forgotten, attempts: 5 }, word, toRun, at(1))).toMatchObject({ does: 'nothing', refused: true });
  });
});

describe('a process whose node was given up', () => {
  it('has failed for good, unless nothing of it ran', () => {
    const input: ProcessInput = { type: 'node-lost', node: nodeId(1) };
    const lost = decide(aProcess({ state: { is: 'online' }, running: life }), input, toRun, at(1));
    expect(lost).toMatchObject({
      next: { state: { is: 'failed', reason: 'node lost' } },
      events: [{ data: { reason: 'node lost', retry: false } }],
    });
    expect(decide(aProcess(), input, toRun, at(1))).toMatchObject({ does: 'nothing' });
  });

  it('is not lost when another node speaks for its host by now', () => {
    const online = aProcess({ state: { is: 'online' }, heard: { node: nodeId(2), incarnation: 1, seq: 1 } });
    expect(decide(online, { type: 'node-lost', node: nodeId(1) }, toRun, at(1))).toMatchObject({ does: 'nothing' });
  });
});

it("nobody but its node speaks for Halon's own process", () => {
  expect(decide(aProcess({ type: processTypes.halon }), say('process.started'), { goal: undefined, limits }, at(1))).toMatchObject({
    refused: true,
  });
});

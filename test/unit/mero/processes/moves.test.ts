import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../lib/core/decision.ts';
import { decide, type ProcessInput } from '../../../../lib/mero/processes/decide.ts';
import { MeroProcess, type ProcessStateName, processMoves } from '../../../../lib/mero/processes/process.ts';
import { resync, type TableOrigin } from '../../../../lib/mero/processes/resync.ts';
import type { Goal } from '../../../../lib/mero/processes/rows/goal.ts';
import { limitsOf } from '../../../../lib/mero/processes/rows/limits.ts';
import { at, nodeId } from '../../../../tools/support/builders.ts';
import { aProcess, processFid, processTypes } from '../../../support/mero.ts';
import { aReport } from './reports.ts';

/**
 * Where a state may lead by the table, in as many moves as one decision makes at the most: quiescing, stopping and
 * offline are passed at once.
 */
const reachable = (from: ProcessStateName): Set<ProcessStateName> => {
  const found = new Set<ProcessStateName>([from]);
  const strictly = {
    online: ['quiescing', 'stopping', 'offline'],
    quiescing: ['stopping', 'offline'],
    starting: ['stopping', 'offline'],
  } as Partial<Record<ProcessStateName, ProcessStateName[]>>;
  for (const { from: froms, to } of Object.values(processMoves)) if ((froms as readonly ProcessStateName[]).includes(from)) found.add(to);
  for (const to of strictly[from] ?? []) found.add(to);
  return found;
};

const life = fc.record({ pid: fc.integer({ min: 1, max: 3 }), born: fc.constantFrom('a', 'b') }, { requiredKeys: [] });
const types = ['process.starting', 'process.started', 'process.stopping', 'process.stopped', 'process.failed'] as const;
const seq = fc.integer({ min: 1, max: 12 });
const incarnation = fc.integer({ min: 1, max: 3 });
const entry = fc.option(fc.record({ pid: fc.integer({ min: 1, max: 3 }), state: fc.constantFrom('starting', 'online', 'stopping') }), {
  nil: undefined,
});

type Event =
  | { readonly is: 'input'; readonly input: ProcessInput }
  | {
      readonly is: 'table';
      readonly said: TableOrigin;
      readonly entry: { pid: number; state: 'starting' | 'online' | 'stopping' } | undefined;
    };
const events: fc.Arbitrary<Event> = fc.oneof(
  fc
    .record({ type: fc.constantFrom(...types), life, seq, incarnation })
    .map((one): Event => ({ is: 'input', input: aReport(one.type, one.life, { seq: one.seq, incarnation: one.incarnation }) })),
  fc.boolean().map((isAway): Event => ({ is: 'input', input: { type: 'tick', isAway } })),
  fc.constant<Event>({ is: 'input', input: { type: 'node-lost', node: nodeId(1) } }),
  fc
    .record({ seq, incarnation, back: fc.constantFrom('no', 'same kernel', 'anew'), entry })
    .map(({ entry, ...said }): Event => ({ is: 'table', said: { node: nodeId(1), ...said } as TableOrigin, entry: entry as never })),
);
const step = fc.record({ event: events, after: fc.integer({ min: 0, max: 400 }), goal: fc.constantFrom<Goal>('run', 'stop') });
const types2 = fc.constantFrom(processTypes.ios, processTypes.app);

/** Plays events against a process and hands each decision on. */
function play(
  process: MeroProcess,
  steps: readonly { event: Event; after: number; goal: Goal }[],
  look: (before: MeroProcess, made: Decision<MeroProcess>) => void,
): MeroProcess {
  const limits = limitsOf({ vars: {} });
  let now = 0;
  let state = process;
  for (const { event, after, goal } of steps) {
    now += after;
    const around = { goal: state.type.tag === 'PLClovis' ? ('watch' as const) : goal, limits };
    const made =
      event.is === 'input'
        ? decide(state, event.input, around, at(now))
        : resync(state, event.entry && { process: processFid(1), ...event.entry }, event.said, around, at(now));
    look(state, made);
    if (made.does === 'write') state = made.next;
  }
  return state;
}

describe('every history of a process', () => {
  it('keeps to the table of moves, and its rows are rows', () => {
    fc.assert(
      fc.property(types2, fc.array(step, { maxLength: 40 }), (type, steps) => {
        play(aProcess({ type }), steps, (before, made) => {
          if (made.does !== 'write') return;
          expect(reachable(before.state.is)).toContain(made.next.state.is);
          expect(MeroProcess.safeParse(made.next).error).toBeUndefined();
        });
      }),
      { numRuns: 400 },
    );
  });

  it('is due exactly while time can change it, and time never leads to it being due at once for ever', () => {
    fc.assert(
      fc.property(types2, fc.array(step, { maxLength: 30 }), (type, steps) => {
        play(aProcess({ type }), steps, (_before, made) => {
          if (made.does !== 'write') return;
          const { state, retryAt } = made.next;
          const isTimed = ['starting', 'quiescing', 'stopping'].includes(state.is) || retryAt !== undefined;
          expect(made.wakeAt !== undefined).toBe(isTimed);
          expect(retryAt === undefined || state.is === 'failed').toBe(true);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('publishes a change of state once, and nothing where there is none but another life', () => {
    fc.assert(
      fc.property(types2, fc.array(step, { maxLength: 30 }), (type, steps) => {
        play(aProcess({ type }), steps, (before, made) => {
          if (made.does !== 'write') return;
          expect(made.events.length).toBeLessThanOrEqual(1);
          const silent = before.state.is === 'unknown' && made.next.state.is === 'offline';
          if (before.state.is !== made.next.state.is && !silent) expect(made.events).toHaveLength(1);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('ends as the newest word says, however often older ones come again', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(11), { maxLength: 20 }),
        (words, again) => {
          const reports = words.map((type, n) => aReport(type, {}, { seq: n + 1 }));
          const steps = reports.map((input) => ({ event: { is: 'input' as const, input }, after: 1, goal: 'run' as const }));
          const once = play(aProcess(), steps, () => {});
          // A refused word is not remembered, and so may be refused again: only what was taken counts.
          const taken = reports.filter(({ seq }) => seq! <= (once.heard?.seq ?? 0));
          const repeats = again.flatMap((n) => taken[n % Math.max(1, taken.length)] ?? []);
          const more = repeats.map((input) => ({ event: { is: 'input' as const, input }, after: 0, goal: 'run' as const }));
          expect(play(once, more, () => {})).toEqual(once);
        },
      ),
      { numRuns: 300 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { type Action, decide } from '../../../../programs/agent/decide.ts';
import type { Input } from '../../../../programs/agent/hear.ts';
import { type AgentState, type Call, firstState, ordersOf } from '../../../../programs/agent/state.ts';
import { aLedger, joined, node, startedAt, zone } from './told.ts';

/** What is under way around an agent: the actions whose outcomes it awaits, by what they do. */
type World = { now: number; underWay: Map<Action['do'], Action>; incarnation: number; beats: Map<number, number>; ended: boolean };

const turn = fc.record({
  what: fc.constantFrom('time', 'time', 'join', 'up', 'heartbeat', 'heartbeat', 'read-desired', 'read-systems', 'report', 'release'),
  pick: fc.nat({ max: 9 }),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

const line = new Set<string>(['join', 'up', 'heartbeat']);
const problems = ['send-node-up', 'must-rejoin', 'quarantined', 'unknown-node', 'busy', 'removed', 'join-denied'] as const;

/** The outcome of an action: mostly good, else away, or refused in one of all ways. */
function outcomeOf(action: Action, { pick, random }: Turn, world: World): Input {
  const call = action.do as Call;
  if (action.do === 'release')
    return pick < 6
      ? { type: 'released', mapVersion: action.mapVersion, systems: pick, knocking: true }
      : { type: 'release-failed', mapVersion: action.mapVersion, why: 'exit code 1' };
  if (pick === 9) return { type: 'unreachable', call, why: 'away', random };
  if (pick === 8) {
    const problem = problems[Math.floor(random * problems.length)]!;
    return {
      type: 'refused',
      call,
      problem,
      status: problem === 'busy' ? 503 : 409,
      detail: problem,
      retryAfterMs: 0,
      random,
      ...(random < 0.2 && { generation: 3 }),
    };
  }
  return successOf(action, pick, world);
}

function successOf(action: Action, pick: number, world: World): Input {
  switch (action.do) {
    case 'join':
      return joined;
    case 'up':
      if (pick > 5) return { type: 'not-acknowledged', nextMs: 500 };
      world.incarnation += pick % 2;
      return { type: 'acknowledged', incarnation: world.incarnation, generation: 1, nextMs: 1_000 };
    case 'heartbeat':
      return { type: 'beaten', nextMs: 1_000, desired: pick % 4, mapVersion: pick % 3, listStale: pick === 7, unlisted: pick === 6 };
    case 'read-desired':
      return pick > 5
        ? { type: 'desired-same' }
        : { type: 'desired', rev: pick, release: pick % 2 ? [{ mapVersion: pick, zoneSlots: 1024, slots: [1] }] : [] };
    case 'read-systems':
      return { type: 'listed', version: pick, mapVersion: action.mapVersion, systems: 1 };
    case 'report':
      return { type: 'reported', reports: action.reports };
    default:
      throw new Error(`no outcome for ${action.do}`);
  }
}

/** Starts an action in the world, and holds the agent to what must always be true of it. */
function begin(world: World, action: Action, state: AgentState): void {
  expect(world.ended, 'nothing is done after the end').toBe(false);
  if (action.do === 'end') world.ended = true;
  if (action.do === 'say' || action.do === 'end' || action.do === 'flush' || action.do === 'make-knock') return;
  expect(world.underWay.has(action.do), `one ${action.do} at a time`).toBe(false);
  if (line.has(action.do))
    expect(
      [...world.underWay.keys()].filter((one) => line.has(one)),
      'one call of the line at a time',
    ).toEqual([]);
  if (action.do === 'heartbeat') {
    expect(action.incarnation, 'it beats in the acknowledged incarnation').toBe(world.incarnation);
    expect(action.seq, 'its heartbeats are counted up').toBeGreaterThan(world.beats.get(action.incarnation) ?? 0);
    world.beats.set(action.incarnation, action.seq);
  }
  if (action.do === 'read-systems') expect(ordersOf(state), 'the list waits for release orders').toEqual([]);
  if (action.do === 'report')
    expect(new Set(action.reports.map(({ n }) => n)).size, 'every word has its own number').toBe(action.reports.length);
  world.underWay.set(action.do, action);
}

function playOn(isMember: boolean, turns: readonly Turn[], each: (state: AgentState, world: World) => void = () => {}): void {
  const world: World = { now: startedAt, underWay: new Map(), incarnation: 1, beats: new Map(), ended: false };
  let state = firstState(aLedger(isMember ? { node, zone, incarnation: 1, generation: 1 } : {}), undefined, startedAt);
  const take = (input: Input) => {
    const step = decide(state, input, world.now as EpochMs);
    state = step.next;
    for (const action of step.actions) begin(world, action, state);
    each(state, world);
  };
  take({ type: 'tick' });
  for (const one of turns) {
    if (one.what === 'time') {
      world.now = Math.max(world.now, state.wakeAt ?? world.now);
      take({ type: 'tick' });
      continue;
    }
    const action = world.underWay.get(one.what);
    if (!action) continue;
    world.underWay.delete(one.what);
    take(outcomeOf(action, one, world));
  }
}

describe('whatever happens to an agent', () => {
  it('one call of each kind at a time, heartbeats counted up in the acknowledged incarnation, the list never before the orders, nothing after the end', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(turn, { minLength: 100, maxLength: 300 }), (isMember, turns) => playOn(isMember, turns)),
      { seed: 31, numRuns: 2_000 },
    );
  });

  it('its line to Muster never stands still, whatever hangs beside it', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(turn, { maxLength: 120 }), (isMember, turns) =>
        playOn(isMember, turns, (state, world) => {
          const calling = [...world.underWay.keys()].some((one) => line.has(one));
          expect(world.ended || calling || state.wakeAt !== undefined).toBe(true);
        }),
      ),
      { seed: 32, numRuns: 1_000 },
    );
  });

  it('what it gave up is said with every node-up until one is acknowledged', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 120 }), (turns) =>
        playOn(true, turns, (state, world) => {
          const up = world.underWay.get('up');
          if (up?.do === 'up' && state.phase === 'starting') expect(up.flushed).toBe(state.flushed);
        }),
      ),
      { seed: 33, numRuns: 1_000 },
    );
  });
});

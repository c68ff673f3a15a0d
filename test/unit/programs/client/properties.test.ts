import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fqdn } from '../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { type Action, decide, wanted } from '../../../../programs/client/decide.ts';
import type { Input } from '../../../../programs/client/hear.ts';
import { type CallName, type ClientRecord, type ClientState, firstState } from '../../../../programs/client/state.ts';
import { node1, node2, startedAt, watch } from './told.ts';

/** What is under way in the world around one daemon: the actions it has started, whose outcomes it awaits. */
type World = { calling?: CallName; driving?: { does: 'start' | 'stop'; fqdn?: Fqdn }; watching?: Fqdn; runs?: Fqdn; now: number };

/** One turn of chance: what happens next, and with what outcome. */
const turn = fc.record({
  what: fc.constantFrom('call', 'drive', 'watch', 'time', 'signal'),
  pick: fc.nat({ max: 7 }),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;
const kept: fc.Arbitrary<ClientRecord> = fc.constantFrom<ClientRecord>(
  { phase: 'unheard' },
  { phase: 'orphan', token: 'kept', driven: node1 },
  { phase: 'told', token: 'kept', place: { fqdn: node1, watch } },
  { phase: 'onboarded', token: 'kept', place: { fqdn: node1, watch }, driven: node1 },
  { phase: 'deleted', driven: node2 },
);

/** Picks beyond chance: the answers that a banned machine gets. */
const banned = 8;
/** A turn in which whatever is under way goes well. */
const chance = (what: Turn['what']): Turn => ({ what, pick: 7, random: 0.5 });
/** The same turn, with a driver that does as it is told. */
const obeyed = (one: Turn): Turn => (one.what === 'drive' ? { ...one, pick: 7 } : one);

/** The outcome of a call: any byte, a place, none, or a failure. */
function outcomeOf(call: CallName, { pick, random }: Turn): Input {
  const rest = { call, random, nextMs: 1 + pick * 3_000, ...(pick % 2 === 0 && { token: `t${pick}` }) };
  if (pick === banned)
    return call === 'orphan'
      ? { type: 'failed', call, why: 'banned', unknown: true, retryAfterMs: 0, random }
      : { type: 'byte', byte: '3', ...rest };
  if (pick === 7) return { type: 'failed', call, why: 'away', unknown: random < 0.3, retryAfterMs: random < 0.5 ? 0 : 5_000, random };
  if (call !== 'orphan') return { type: 'byte', byte: (['0', '1', '2', '2', '1', '2', '3'] as const)[pick]!, ...rest };
  return pick < 2
    ? { type: 'no-place', ...rest }
    : { type: 'place', fqdn: pick < 5 ? node1 : node2, ...(pick !== 3 && { watch }), ...rest };
}

/** The input that a turn makes of the world as it is; undefined when nothing of the kind is under way. */
function inputOf(world: World, state: ClientState, turned: Turn): Input | undefined {
  const { what, pick, random } = turned;
  if (what === 'signal') return { type: 'knock-now' };
  if (what === 'call' && world.calling) return outcomeOf(world.calling, turned);
  if (what === 'drive' && world.driving) return { type: 'driven', ok: pick > 2, random };
  if (what === 'watch' && world.watching) return { type: 'watched', fqdn: world.watching, ok: pick > 3, random };
  return what === 'time' && state.wakeAt !== undefined ? { type: 'tick' } : undefined;
}

/** Settles in the world what an input was the outcome of. */
function settle(world: World, input: Input, state: ClientState): void {
  if (input.type === 'tick') world.now = Math.max(world.now, state.wakeAt ?? world.now);
  if (input.type === 'byte' || input.type === 'place' || input.type === 'no-place' || input.type === 'failed') delete world.calling;
  if (input.type === 'watched') delete world.watching;
  if (input.type !== 'driven' || !world.driving) return;
  if (input.ok && world.driving.does === 'start') world.runs = world.driving.fqdn!;
  if (input.ok && world.driving.does === 'stop') delete world.runs;
  delete world.driving;
}

/** Starts an action in the world, and holds the daemon to what must always be true of it. */
function begin(world: World, action: Action, state: ClientState): void {
  switch (action.do) {
    case 'knock':
    case 'status':
    case 'orphan':
      expect(world.calling, 'one call at a time').toBeUndefined();
      if (action.do === 'knock' && action.confirmed) expect(world.runs, 'it confirms only what runs').toBe(action.confirmed);
      world.calling = action.do;
      return;
    case 'start':
      expect(world.driving, 'one run of the driver at a time').toBeUndefined();
      expect(action.fqdn, 'it starts for the node it was told').toBe(wanted(state));
      expect(['told', 'onboarded'], 'it drives nothing without a node').toContain(state.phase);
      expect([undefined, action.fqdn], 'what runs for another node is stopped first').toContain(world.runs);
      world.driving = { does: 'start', fqdn: action.fqdn };
      return;
    case 'stop':
      expect(world.driving, 'one run of the driver at a time').toBeUndefined();
      world.driving = { does: 'stop' };
      return;
    case 'watch':
      expect(world.watching, 'one look at a time').toBeUndefined();
      world.watching = action.fqdn;
      return;
    default:
      return;
  }
}

/** Plays turns on a daemon; `each` sees it after every step. */
function playOn(
  from: ClientRecord,
  turns: readonly Turn[],
  each: (state: ClientState, world: World) => void = () => {},
  found?: Fqdn,
): { state: ClientState; world: World } {
  const world: World = { now: startedAt, ...(from.driven !== undefined && { runs: from.driven }) };
  if (found !== undefined) world.runs = found;
  let state = firstState(from, startedAt, found);
  const take = (input: Input) => {
    settle(world, input, state);
    const step = decide(state, input, world.now as EpochMs);
    state = step.next;
    for (const action of step.actions) begin(world, action, state);
    each(state, world);
  };
  take({ type: 'tick' });
  for (const turned of turns) {
    const input = inputOf(world, state, turned);
    if (input) take(input);
  }
  return { state, world };
}

describe('whatever happens to a daemon', () => {
  it('one call, one run of the driver and one look at a time; it starts only for a node it was told, and confirms only what runs', () => {
    fc.assert(
      fc.property(kept, fc.array(turn, { maxLength: 80 }), (from, turns) => void playOn(from, turns)),
      { seed: 20_260, numRuns: 3_000 },
    );
  });

  it('it always waits for something, unless it has ended', () => {
    fc.assert(
      fc.property(
        kept,
        fc.array(turn, { maxLength: 80 }),
        (from, turns) =>
          void playOn(from, turns, (state, world) => {
            if (!state.ended) expect(state.wakeAt !== undefined || world.calling !== undefined || world.driving !== undefined).toBe(true);
          }),
      ),
      { seed: 20_261, numRuns: 1_000 },
    );
  });

  it('what it drives is stopped or being stopped while it is an orphan, new or deleted and the driver obeys', () => {
    fc.assert(
      fc.property(kept, fc.array(turn, { maxLength: 80 }), (from, turns) => {
        playOn(from, turns.map(obeyed), (state, world) => {
          if (wanted(state) === undefined && world.runs !== undefined) expect(world.driving).toBeDefined();
        });
      }),
      { seed: 20_262, numRuns: 2_000 },
    );
  });

  it('what ran before anybody drove it is left alone until Muster has accepted or banned the machine, and is stopped then', () => {
    const undriven = fc.constantFrom<ClientRecord>(
      { phase: 'unheard' },
      { phase: 'new' },
      { phase: 'orphan', token: 'kept' },
      { phase: 'deleted' },
    );
    fc.assert(
      fc.property(undriven, fc.array(turn, { maxLength: 80 }), (from, turns) => {
        let isKnown = from.phase === 'orphan';
        const look = (state: ClientState, world: World) => {
          isKnown ||= state.phase !== 'unheard' && state.phase !== 'new';
          if (!isKnown) expect([world.runs, world.driving]).toEqual([node1, undefined]);
          else if (wanted(state) === undefined && world.runs !== undefined) expect(world.driving).toBeDefined();
        };
        playOn(from, turns.map(obeyed), look, node1);
      }),
      { seed: 20_265, numRuns: 2_000 },
    );
  });

  it('a banned machine never starts anything again, and ends once the driver obeys', () => {
    fc.assert(
      fc.property(kept, fc.array(turn, { maxLength: 60 }), fc.array(turn, { maxLength: 60 }), (from, before, after) => {
        const ban: Turn[] = Array.from({ length: 8 }, () => [chance('time'), { ...chance('call'), pick: banned }]).flat();
        const end: Turn[] = Array.from({ length: 4 }, () => [chance('drive'), chance('time')]).flat();
        let isBanned = false;
        const { state } = playOn(from, [...before, ...ban, ...after.map(obeyed), ...end], (now, world) => {
          if (isBanned) expect(world.driving?.does).not.toBe('start');
          isBanned ||= now.phase === 'deleted' && world.driving?.does !== 'start';
        });
        expect(isBanned).toBe(true);
        expect(state.ended).toBe(true);
      }),
      { seed: 20_263, numRuns: 500 },
    );
  });

  it('it makes no more than a handful of calls in a second, however Muster answers', () => {
    fc.assert(
      fc.property(kept, fc.array(turn, { minLength: 200, maxLength: 400 }), (from, turns) => {
        const answers = turns
          .filter(({ what }) => what !== 'signal')
          .map((one, i) => ({ ...one, what: (['call', 'drive', 'watch', 'time'] as const)[i % 4]! }));
        const at: number[] = [];
        let calling: CallName | undefined;
        playOn(from, answers, (_state, world) => {
          if (world.calling && world.calling !== calling) at.push(world.now);
          calling = world.calling;
        });
        for (const from of at) expect(at.filter((moment) => moment >= from && moment < from + 1_000).length).toBeLessThanOrEqual(12);
      }),
      { seed: 20_264, numRuns: 300 },
    );
  });
});

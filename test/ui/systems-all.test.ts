import { describe, expect, it } from 'vitest';
import { Problem } from '../../ui/api/call.ts';
import type { Progress, Result } from '../../ui/orders/steps.ts';
import { type Part, type Sending, throughAll } from '../../ui/systems/all.ts';
import type { System } from '../../ui/systems/asks.ts';
import { isTotal, matching, selected } from '../../ui/systems/whom.ts';

const result = (fp: string): Result => ({ fp, done: true, because: 'done' });
const busy = (fp: string): Result => ({ fp, done: false, busy: true, because: 'busy, try again' });

/** A server that gives these answers one after the other, and throws those that are errors; and what it was asked. */
function aServer(answers: readonly (Part | Error)[]) {
  const [asked, pauses, named]: [(string | undefined)[], number[], string[][]] = [[], [], []];
  const sending: Sending = {
    send: async (cursor) => {
      const answer = answers[asked.push(cursor) - 1]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    sendTo: async (fps) => {
      named.push([...fps]);
      return fps.map(result);
    },
    pause: async (ms) => void pauses.push(ms),
  };
  return { sending, asked, pauses, named };
}

/** How far an order was after each call, and what it threw. */
async function gone(of: number, sending: Sending): Promise<{ readonly steps: readonly Progress[]; readonly error?: unknown }> {
  const steps: Progress[] = [];
  try {
    for await (const step of throughAll(of, sending)) steps.push(step);
    return { steps };
  } catch (error) {
    return { steps, error };
  }
}
const sizes = (steps: readonly Progress[]) => steps.map(({ results, of }) => [results.size, of]);

describe('an order to all that match', () => {
  it('goes on where the call before ended, until nothing is left, and says how far it is', async () => {
    const { sending, asked } = aServer([
      { results: [], next: 'one', left: 3 },
      { results: [result('a')], next: 'two', left: 2 },
      { results: [result('b'), result('c')], left: 0 },
    ]);
    const { steps } = await gone(3, sending);
    expect(asked).toEqual([undefined, 'one', 'two']);
    expect(sizes(steps)).toEqual([
      [0, 3],
      [1, 3],
      [3, 3],
    ]);
  });

  it('is refused at once when others match by now: what was done was given, and nothing is repeated', async () => {
    const changed = new Problem(409, 'matches-changed', '1 match now');
    const { sending, asked, pauses } = aServer([{ results: [result('a')], next: 'one' }, changed]);
    const { steps, error } = await gone(2, sending);
    expect(error).toBe(changed);
    expect(sizes(steps)).toEqual([[1, 2]]);
    expect([asked.length, pauses]).toEqual([2, []]);
  });

  it('repeats a call without an answer from the same place, after a longer pause each time', async () => {
    const lost = new Problem(0, 'unreachable', 'Muster does not answer');
    const { sending, asked, pauses } = aServer([{ results: [], next: 'one' }, lost, lost, { results: [result('a')] }]);
    const { steps } = await gone(1, sending);
    expect(asked).toEqual([undefined, 'one', 'one', 'one']);
    expect(pauses).toEqual([1_000, 2_000]);
    expect(sizes(steps).at(-1)).toEqual([1, 1]);
  });

  it('gives up on a call that stays without an answer', async () => {
    const down = new Problem(503, 'unavailable', 'try later');
    const { sending, asked } = aServer([down, down, down, down, { results: [] }]);
    expect((await gone(1, sending)).error).toBe(down);
    expect(asked).toHaveLength(4);
  });

  it('tries those that were busy again by their fingerprints, which may not match any more', async () => {
    const { sending, named } = aServer([{ results: [result('a'), busy('b')], next: 'one' }, { results: [busy('c')] }]);
    const { steps } = await gone(3, sending);
    expect(named).toEqual([['b', 'c']]);
    expect([...steps.at(-1)!.results.values()]).toEqual(['a', 'b', 'c'].map(result));
  });
});

describe('whom an order is for', () => {
  it('is told by the facets of what matches', () => {
    const facet = (field: string, ...values: readonly (readonly [string, number])[]) => ({
      ...{ field, distinct: values.length },
      values: values.map(([value, count]) => ({ value, count })),
    });
    const facets = [facet('zone', ['emea', 7]), facet('tag', ['db', 5], ['web', 2])];
    expect(matching({ total: 7, facets })).toEqual({
      ...{ total: 7, zones: ['emea'], groups: [] },
      tags: [
        { label: 'db', count: 5 },
        { label: 'web', count: 2 },
      ],
    });
  });
  it('is told by the client systems themselves where these were selected', () => {
    const one = (zone: string | undefined, ...tags: string[]) => ({ zone, tags, groups: [] }) as unknown as System;
    const systems = [one('emea', 'db'), one('emea', 'db', 'web'), one(undefined)];
    expect(selected(systems)).toEqual({
      ...{ total: 3, systems, zones: ['emea'], groups: [] },
      tags: [
        { label: 'db', count: 2 },
        { label: 'web', count: 1 },
      ],
    });
  });
  it('is confirmed by how many they are, however thousands are parted', () => {
    for (const typed of ['12345', '12,345', '12 345', '12.345', " 12'345 "]) expect(isTotal(typed, 12_345)).toBe(true);
    for (const typed of ['', '1234', '123456', '12345x']) expect(isTotal(typed, 12_345)).toBe(false);
  });
});

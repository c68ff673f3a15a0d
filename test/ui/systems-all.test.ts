import { describe, expect, it } from 'vitest';
import { throughAll } from '../../ui/systems/all.ts';

const result = (fp: string) => ({ fp, done: true, because: 'done' });

describe('an order to all that match', () => {
  it('goes on where the call before ended, until nothing is left, and says how far it is', async () => {
    const asked: (string | undefined)[] = [];
    const parts = [{ results: [result('a')], next: 'one' }, { results: [result('b'), result('c')], next: 'two' }, { results: [] }];
    const send = async (cursor: string | undefined) => {
      asked.push(cursor);
      return parts[asked.length - 1]!;
    };
    const far: number[] = [];
    for await (const { results, of } of throughAll(3, send)) far.push(results.size / of);
    expect(asked).toEqual([undefined, 'one', 'two']);
    expect(far).toEqual([1 / 3, 1, 1]);
  });

  it('throws what a call throws, after what was done was given', async () => {
    const send = async (cursor: string | undefined) => {
      if (cursor !== undefined) throw new Error('others match by now');
      return { results: [result('a')], next: 'one' };
    };
    const given: number[] = [];
    const all = async () => {
      for await (const { results } of throughAll(2, send)) given.push(results.size);
    };
    await expect(all()).rejects.toThrow('others match by now');
    expect(given).toEqual([1]);
  });
});

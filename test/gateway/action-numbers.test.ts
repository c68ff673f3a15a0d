import { describe, expect, it } from 'vitest';
import { actionsInMemory } from '../../programs/gateway/action-numbers.ts';
import { someAtOnce } from '../../programs/gateway/some-at-once.ts';

const wanted = new AbortController().signal;

describe('numbers in memory', () => {
  it('are not given again by a gateway that is started anew', async () => {
    const [before, later] = [actionsInMemory(() => 1_000_000 as never), actionsInMemory(() => 1_060_000 as never)];
    const given = (await before.reserve(59)).map(({ number }) => number);
    expect(given).not.toContain((await later.reserve(1))[0]!.number);
  });

  it('are forgotten by the parts of their actions, the oldest first, and an action with more parts is known alone', async () => {
    const numbers = actionsInMemory(() => 0 as never, 5);
    const reserved = await numbers.reserve(4);
    const parts = (action: number, count: number) => Array.from({ length: count }, (_, n) => ({ node: `${n}.acme.test`, id: action }));
    const known = () => Promise.all(reserved.map(async ({ number }) => (await numbers.partsOf(number, wanted))?.length));
    await numbers.record(reserved[0]!, parts(1, 2));
    await numbers.record(reserved[1]!, parts(2, 3));
    // The same action again has no parts more.
    await numbers.record(reserved[1]!, parts(2, 3));
    expect(await known()).toEqual([2, 3, undefined, undefined]);
    await numbers.record(reserved[2]!, parts(3, 2));
    expect(await known()).toEqual([undefined, 3, 2, undefined]);
    expect([await numbers.numbersAt('0.acme.test', [1]), await numbers.numbersAt('0.acme.test', [2])].map(({ size }) => size)).toEqual([
      0, 1,
    ]);
    await numbers.record(reserved[3]!, parts(4, 6));
    expect(await known()).toEqual([undefined, undefined, undefined, 6]);
  });
});

describe('work for some items at once', () => {
  it('begins no more after an error, and ends once all that it has begun has ended', async () => {
    const [begun, done]: number[][] = [[], []];
    const second = Promise.withResolvers<void>();
    const work = someAtOnce([0, 1, 2, 3], 2, async (item) => {
      begun!.push(item);
      if (item === 0) throw new Error('no');
      await second.promise;
      done!.push(item);
    });
    const ended = work.then(
      () => 'done',
      (error: unknown) => String(error),
    );
    const later = new Promise((resolve) => void setImmediate(resolve, 'still at work'));
    expect(await Promise.race([ended, later])).toBe('still at work');
    second.resolve();
    expect(await ended).toBe('Error: no');
    expect([begun, done]).toEqual([[0, 1], [1]]);
  });
});

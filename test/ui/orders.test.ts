import { describe, expect, it } from 'vitest';
import { Problem } from '../../ui/api/call.ts';
import { type Carried, Carrying, type Memory } from '../../ui/orders/carrying.ts';
import { memoryIn } from '../../ui/orders/memory.ts';
import type { Progress, Result } from '../../ui/orders/steps.ts';
import { endText, restText, tallyOf } from '../../ui/orders/words.ts';

const done = (fp: string): Result => ({ fp, done: true, because: 'tagged' });
const waits = (fp: string): Result => ({ fp, done: false, because: 'it waits to be accepted' });
const progress = (of: number, ...results: readonly Result[]): Progress => ({ of, results: new Map(results.map((one) => [one.fp, one])) });

/** The storage of a tab, which a page that is loaded anew finds again. */
function aTab(): Pick<Storage, 'getItem' | 'setItem'> {
  const items = new Map<string, string>();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) };
}

const aCarrying = (memory: Memory = memoryIn(aTab())): Carrying => new Carrying(memory, () => undefined);

async function* stepsOf(...steps: readonly (Progress | Error)[]): AsyncGenerator<Progress> {
  for (const step of steps) {
    if (step instanceof Error) throw step;
    yield step;
  }
}

/** Steps that go on when they are told to. */
function aWay(...steps: readonly Progress[]) {
  const gates = steps.map(() => Promise.withResolvers<void>());
  async function* walk(): AsyncGenerator<Progress> {
    for (const [n, step] of steps.entries()) {
      await gates[n]!.promise;
      yield step;
    }
  }
  return { steps: walk(), go: (n: number): void => gates[n]!.resolve() };
}

const order = { title: 'Ban: 3 that match web*', q: 'web*', of: 3 };
const only = (carrying: Carrying): Carried => carrying.all()[0]!;
const counts = (carrying: Carrying) => tallyOf(only(carrying));

describe('an order to many', () => {
  it('is told of after its dialog is closed, and how it ended, until a person has seen that', async () => {
    const carrying = aCarrying();
    const way = aWay(progress(3, done('a')), progress(3, done('a'), done('b'), waits('c')));
    const { id, ended } = carrying.begin({ ...order, steps: way.steps });
    expect(only(carrying).isWatched).toBe(true);
    carrying.leave(id);
    expect(only(carrying)).toMatchObject({ isWatched: false, ended: undefined });
    for (const n of [0, 1]) way.go(n);
    await ended;
    expect(only(carrying).ended).toEqual({ is: 'done' });
    expect(counts(carrying)).toEqual({ done: 2, not: 1, rest: 0 });
    carrying.forget(id);
    expect(carrying.all()).toEqual([]);
  });

  it('is seen where it was given: once it has ended, closing its dialog is enough', async () => {
    const carrying = aCarrying();
    const { id, ended } = carrying.begin({ ...order, steps: stepsOf(progress(3, done('a'), done('b'), done('c'))) });
    await ended;
    carrying.leave(id);
    expect(carrying.all()).toEqual([]);
  });

  it('that has ended is told of again by a page that is loaded anew, with its counts and reasons, and without names', async () => {
    const tab = aTab();
    const before = aCarrying(memoryIn(tab));
    await before.begin({ ...order, steps: stepsOf(progress(3, done('a'), done('b'), waits('c'))) }).ended;
    const after = aCarrying(memoryIn(tab));
    expect(only(after)).toMatchObject({ title: order.title, q: 'web*', ended: { is: 'done' }, isWatched: false });
    expect(counts(after)).toEqual({ done: 2, not: 1, rest: 0 });
    expect(only(after).outcomes.map(({ because, results }) => [because, results])).toEqual([
      ['it waits to be accepted', []],
      ['tagged', []],
    ]);
  });

  it('that a page was in the middle of when it was loaded anew was cut off there', async () => {
    const tab = aTab();
    const way = aWay(progress(3, done('a')), progress(3, done('a'), done('b')));
    aCarrying(memoryIn(tab)).begin({ ...order, steps: way.steps });
    way.go(0);
    await new Promise((resolve) => setImmediate(resolve));
    const after = aCarrying(memoryIn(tab));
    expect(only(after).ended).toEqual({ is: 'left' });
    expect(counts(after)).toEqual({ done: 1, not: 0, rest: 2 });
  });

  it('is stopped between two steps, and what was done by then stays done', async () => {
    const carrying = aCarrying();
    const way = aWay(progress(3, done('a')), progress(3, done('a'), done('b')));
    const { id, ended } = carrying.begin({ ...order, steps: way.steps });
    carrying.stop(id);
    way.go(0);
    await ended;
    expect(only(carrying).ended).toEqual({ is: 'stopped' });
    expect(counts(carrying)).toEqual({ done: 1, not: 0, rest: 2 });
  });

  it('ends with the reason of what it throws, and apart from that when others match by now', async () => {
    const endOf = async (error: Error) => {
      const carrying = aCarrying();
      await carrying.begin({ ...order, steps: stepsOf(progress(3, done('a')), error) }).ended;
      return only(carrying).ended;
    };
    expect(await endOf(new Problem(503, 'unavailable', 'try later'))).toEqual({ is: 'failed', because: 'try later' });
    expect(await endOf(new Problem(409, 'matches-changed', '5 match now'))).toEqual({ is: 'changed', because: '5 match now' });
  });

  it('is forgotten, also while it is under way, when another person may be here', async () => {
    const tab = aTab();
    const carrying = aCarrying(memoryIn(tab));
    const way = aWay(progress(3, done('a')), progress(3, done('a'), done('b')));
    const { ended } = carrying.begin({ ...order, steps: way.steps });
    carrying.clear();
    way.go(0);
    await ended;
    expect(carrying.all()).toEqual([]);
    expect(aCarrying(memoryIn(tab)).all()).toEqual([]);
  });

  it('has an end in words, and what that means for those without a result', () => {
    const words = (['done', 'stopped', 'left'] as const).map((is) => [endText({ is }), restText({ is }, '2 client systems')]);
    expect(words).toEqual([
      ['Done.', 'There was no result for 2 client systems.'],
      ['Stopped.', 'Nothing was done to 2 client systems.'],
      [
        'It was cut off: the page was loaded anew meanwhile.',
        '2 client systems had no answer. The same order can be given to all of them again.',
      ],
    ]);
  });
});

describe('the memory of a tab', () => {
  it('is empty when somebody has written something else there', () => {
    for (const text of ['{', '7', '[{"id":1}]', '[null]'])
      expect(memoryIn({ getItem: () => text, setItem: () => undefined }).read()).toEqual([]);
  });
});

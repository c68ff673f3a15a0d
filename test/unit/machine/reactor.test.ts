import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../lib/core/time.ts';
import { react } from '../../../lib/machine/reactor.ts';
import { aSteppedWorld } from '../../support/stepped-world.ts';

type State = { readonly heard: readonly string[]; readonly wakeAt?: EpochMs };

describe('the loop around a pure decide', () => {
  const start = (wakeAt?: number) => {
    const world = aSteppedWorld();
    const written: string[] = [];
    const reactor = react<State, string, string>(
      { heard: [] },
      {
        decide: (state, input) => ({
          next: { heard: [...state.heard, input], ...(wakeAt !== undefined && state.heard.length === 0 && { wakeAt: wakeAt as EpochMs }) },
          actions: input === 'first' ? ['act'] : [],
        }),
        carry: async (action) => {
          written.push(`carried ${action}`);
          return `${action}ed`;
        },
        tick: 'tick',
        changed: ({ heard }) => written.push(`wrote ${heard.length}`),
      },
      world,
    );
    return { world, reactor, written };
  };

  it('writes a state down before its actions are carried out, and takes what comes of them as input', async () => {
    const { reactor, written } = start();
    reactor.take('first');
    await Promise.resolve();
    await new Promise(setImmediate);

    expect(written).toEqual(['wrote 1', 'carried act', 'wrote 2']);
    expect(reactor.state().heard).toEqual(['first', 'acted']);
  });

  it('ticks when the state asked to be woken, and not before', () => {
    const { world, reactor } = start(5_000);
    reactor.take('hello');
    world.step(4_999);
    expect(reactor.state().heard).toEqual(['hello']);

    world.step(1);
    expect(reactor.state().heard).toEqual(['hello', 'tick']);
  });

  it('reaches a moment that is further away than a timer can hold', () => {
    const { world, reactor } = start(2 ** 31 + 10);
    reactor.take('hello');
    world.step(2 ** 31 - 1);
    expect(reactor.state().heard).toEqual(['hello', 'tick']);
  });

  it('hears nothing any more once it is stopped', () => {
    const { world, reactor } = start(5_000);
    reactor.take('hello');
    reactor.stop();
    world.step(10_000);
    reactor.take('again');
    expect(reactor.state().heard).toEqual(['hello']);
  });
});

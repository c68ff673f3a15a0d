import { describe, expect, it } from 'vitest';
import { Strangers } from '../../../agent/strangers.ts';

const [a, b, c] = ['a', 'b', 'c'].map((first) => first.padEnd(64, '0')) as [string, string, string];
const list = (version: number, ...systems: string[]) => ({ version, mapVersion: 1, systems });

describe('who is seen on a node', () => {
  it('and not on its list is made to knock once, and again by another list', () => {
    const strangers = new Strangers();
    const seen = new Set([c, b, a]);

    expect(strangers.toTell(list(1, a), seen, false)).toEqual([b, c]);
    strangers.told([b]);
    expect(strangers.toTell(list(1, a), seen, false)).toEqual([c]);
    expect(strangers.toTell(list(2, a, c), seen, false)).toEqual([b]);
  });

  it('is made to knock, listed or not, by the first list of a membership', () => {
    const strangers = new Strangers();

    expect(strangers.toTell(list(1, a), new Set([b, a]), true)).toEqual([a, b]);
    strangers.told([a, b]);
    expect(strangers.toTell(list(1, a), new Set([b, a]), true), 'another membership with the same list').toEqual([a, b]);
  });
});

import { expect, it } from 'vitest';
import { few } from '../../../lib/core/few.ts';

it('names the first few, and counts the others', () => {
  expect([few([], 2), few(['a'], 2), few(['a', 'b'], 2), few(['a', 'b', 'c'], 2), few(['a', 'b', 'c', 'd'], 2)]).toEqual([
    '',
    'a',
    'a, b',
    'a, b and 1 more',
    'a, b and 2 more',
  ]);
});

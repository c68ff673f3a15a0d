import { expect, it } from 'vitest';
import { builtGo } from '../../tools/packaging/client/go.ts';
import { compareHistories } from './compare.ts';
import { compareRewriting } from './rewriting.ts';

const vectors = builtGo('vectors');

it.skipIf(vectors === undefined)('the daemon in Go decides as its model in 500 random histories', async () => {
  const { difference, actions, histories } = await compareHistories(vectors!, { count: 500, seed: 20_281 });
  expect(difference).toBeUndefined();
  expect(histories).toBe(500);
  expect(Object.keys(actions).sort()).toEqual(['end', 'knock', 'look', 'orphan', 'say', 'start', 'status', 'stop', 'watch']);
});

it.skipIf(vectors === undefined)('the daemon in Go changes 2,000 random configurations as its model does', () => {
  expect(compareRewriting(vectors!, { count: 2_000, seed: 20_282 })).toEqual([]);
});

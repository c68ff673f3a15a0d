import { expect, it } from 'vitest';
import type { StandingDecision } from '../../../../lib/zones/map/snapshot.ts';
import { standingsBecause } from '../../../../lib/zones/placing/round.ts';

const decided = (fqdn: string, before: string, standing: string, why: string) =>
  ({ before, standing, resolved: { why }, read: { body: { fqdn } } }) as unknown as StandingDecision;

it('says once what is so of several nodes, names five of them, and says nothing of those that stay as they were', () => {
  const held = 'held suspect by rule 7: 7 of 9 nodes are silent';
  const silent = [1, 2, 3, 4, 5, 6, 7].map((n) => decided(`node${n}`, 'up', 'suspect', held));
  const round = [...silent.slice(0, 1), decided('db1', 'down', 'up', 'back'), ...silent.slice(1), decided('db2', 'up', 'up', 'up')];

  expect(standingsBecause(round)).toEqual([`node1, node2, node3, node4, node5 and 2 more are ${held}`, 'db1 is back']);
});

it('gives ten reasons, and counts the nodes of all others', () => {
  const lost = Array.from({ length: 13 }, (_, n) => decided(`node${n}`, 'suspect', 'down', `down: not heard since ${n}`));

  expect(standingsBecause(lost.slice(0, 10))).toHaveLength(10);
  expect(standingsBecause(lost).slice(9)).toEqual(['node9 is down: not heard since 9', '3 more nodes change']);
});

import { expect, it } from 'vitest';
import { minuteMs, plusMs } from '../../../lib/core/time.ts';
import { releaseWaitMs } from '../../../lib/nodes/node.ts';
import { dropText, waitText } from '../../../lib/nodes/waits.ts';
import { aNode, at, noon } from '../../../tools/support/builders.ts';

const drain = (given = {}) => aNode({ status: 'leaving', leaving: { mode: 'drain', since: noon, ...given } });
const iso = (ms: number) => new Date(ms).toISOString();

it('a drain waits for its slots, then for turns, then for the word of its agent, and never for ever', () => {
  const turnsUntil = plusMs(noon, 5 * minuteMs);
  const ends = iso(plusMs(noon, releaseWaitMs));
  const turns = `its client systems wait for their turns elsewhere, the last one ${iso(turnsUntil)}`;
  const unsaid = 'its agent has not reported that it notified the clients of map version 9';
  const told = [
    waitText(drain({ turnsUntil, orderVersion: 9 }), 205),
    waitText(drain({ orderVersion: 9 }), 1),
    waitText(drain({ turnsUntil, orderVersion: 9, releasedVersion: 8 }), 0),
    waitText(drain({ turnsUntil, orderVersion: 9, releasedVersion: 9 }), 0),
    waitText(drain({ orderVersion: 9 }), 0),
    waitText(drain({ orderVersion: 9, movedAt: at(60) }), 0),
    waitText(drain(), 0),
  ];
  expect(told).toEqual([
    '205 slots must find another node',
    '1 slot must find another node',
    `${turns}; ${unsaid}`,
    turns,
    `${unsaid}; it is given up by ${ends} in any case`,
    `${unsaid}; it is given up by ${iso(at(60) + releaseWaitMs)} in any case`,
    `its slots are gone; it is given up by ${ends} in any case`,
  ]);
});

it('a node that does not drain waits for nothing', () => {
  const held = aNode({ status: 'leaving', leaving: { mode: 'hold', since: noon, until: at(60) } });
  expect([waitText(held, 5), waitText(aNode(), 5), dropText(held)]).toEqual([undefined, undefined, undefined]);
});

it('a dropped node was given up as planned or not, and says how it comes back where somebody must let it', () => {
  const told = ([undefined, 'awaited', 'asked', 'given'] as const).map((readmission) =>
    dropText(aNode({ status: 'dropped', planned: readmission === undefined, ...(readmission && { readmission }) })),
  );
  expect(told).toEqual([
    'given up as planned',
    'given up unplanned; it has not asked to come back, which an administrator must allow',
    'given up unplanned; it asks to come back: muster node admit node1.acme.org',
    'given up unplanned; it may come back as new',
  ]);
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { minuteMs, plusMs } from '../../../../lib/core/time.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { at, nodeId } from '../../../../tools/support/builders.ts';
import { moved } from '../members.ts';
import { SilentZone } from './silent-zone.ts';

/** How many nodes are lost 1 min, 10 min, 20 min, 1 h and 2 h after so many of a zone fell silent in one moment. */
const minutes = [1, 10, 20, 60, 120] as const;
const shares = { one: () => 1, two: () => 2, '15 %': (n: number) => 0.15 * n, '55 %': (n: number) => 0.55 * n, all: (n: number) => n };
type Cell = readonly [nodes: number, share: keyof typeof shares, lost: readonly [number, number, number, number, number]];

const atOnce = (silent: number): Cell[2] => [silent, silent, silent, silent, silent];
const held: Cell[2] = [0, 0, 0, 0, 0];

/** The rules worked out by hand. */
const table: readonly Cell[] = [
  // A single node, and a zone that is dark, is held and an operator is told; nobody could take its clients.
  [1, 'one', held],
  [2, 'one', atOnce(1)],
  [2, 'two', held],
  [3, 'one', atOnce(1)],
  // Two of three are 67 %: a zone outage, and none goes down where there are no more than 50 nodes.
  [3, 'two', held],
  [3, '55 %', held],
  [3, 'all', held],
  [5, 'one', atOnce(1)],
  // Two are too few to disrupt a zone, whatever their share, until they are 55 %.
  [5, 'two', atOnce(2)],
  [5, '55 %', held],
  [5, 'all', held],
  [10, 'one', atOnce(1)],
  [10, '15 %', atOnce(2)],
  [10, '55 %', held],
  [10, 'all', held],
  [50, 'one', atOnce(1)],
  [50, 'two', atOnce(2)],
  // Eight of fifty fell silent together: they are held for 15 minutes, and then they are lost.
  [50, '15 %', [0, 0, 8, 8, 8]],
  [50, '55 %', held],
  [50, 'all', held],
  [500, 'one', atOnce(1)],
  [500, 'two', atOnce(2)],
  [500, '15 %', [0, 0, 75, 75, 75]],
  // Nobody for 15 minutes, then one in 100 s. Half an hour later the first of them is given up for good, 274 of 499 are
  // less than 55 %, and rule 6 holds the others 15 minutes longer: 19 until then, and all after it.
  [500, '55 %', [0, 0, 3, 19, 275]],
  [500, 'all', held],
];

const silentOf = (nodes: number, share: keyof typeof shares): number => Math.ceil(shares[share](nodes));

// The sweep runs through two hours of up to 500 nodes, which takes a while where others are at work too.
describe('a zone in which nodes fall silent in one moment', { timeout: 300_000 }, () => {
  it.each(table)('of %i nodes, %s silent: lost after 1 min, 10 min, 20 min, 1 h, 2 h as the rules say', (nodes, share, expected) => {
    const zone = new SilentZone(nodes);
    zone.silence(silentOf(nodes, share));

    let passed = 0;
    const lost = minutes.map((until) => {
      zone.pass(until - passed);
      passed = until;
      return zone.lost;
    });

    expect(lost).toEqual(expected);
  });

  it('is what docs/guard-rails.md shows', () => {
    const rows = table.map(([nodes, share, lost]) => `| ${nodes} | ${silentOf(nodes, share)} (${share}) | ${lost.join(' | ')} |`);
    const page = readFileSync(new URL('../../../../docs/guard-rails.md', import.meta.url), 'utf8');
    expect(page).toContain(
      ['| nodes | silent | 1 min | 10 min | 20 min | 1 h | 2 h |', '|---|---|---|---|---|---|---|', ...rows, ''].join('\n'),
    );
  });
});

describe('a blip', () => {
  it('of 20 of 50 nodes, silent for two minutes, moves nobody', () => {
    const zone = new SilentZone(50);
    const before = zone.ledger.zone.map;
    zone.silence(20);

    zone.pass(2);
    expect(zone.ledger.nodes().filter(({ status }) => status === 'suspect')).toHaveLength(20);
    zone.hear();
    zone.pass(10);

    expect(zone.lost).toBe(0);
    expect(moved(before, zone.ledger.zone.map)).toEqual([]);
    expect(zone.ledger.nodes().every(({ status }) => status === 'up')).toBe(true);
    expect(zone.ledger.zone.head.brakes.disrupted).toBeUndefined();
  });

  it('of a whole zone of two, of which one is heard again before the other, moves nobody', () => {
    const zone = new SilentZone(2);
    const before = zone.ledger.zone.map;
    zone.silence(2);
    zone.pass(30);

    zone.hear([1]);
    zone.pass(0.25);
    zone.hear();
    zone.pass(5);

    expect(zone.lost).toBe(0);
    expect(moved(before, zone.ledger.zone.map)).toEqual([]);
  });

  it('keeps the last node that was heard, also beside one that called again and fell silent before a plan brought it back', () => {
    const zone = new SilentZone(2);
    const heardAt = plusMs(zone.now, -minuteMs);
    const down = { ...zone.ledger.node(nodeId(1)), status: 'down', downAt: plusMs(heardAt, -minuteMs) };
    zone.ledger.put({ ...down, heardAt, returning: { leaseUntil: plusMs(heardAt, 38_000) } } as Node);
    zone.silence(1, 2);
    zone.pass(3);

    expect(zone.ledger.node(nodeId(2)).status).toBe('suspect');
    expect(zone.ledger.zone.head.brakes.disrupted).toMatchObject({ rule: 7, silent: 2, nodes: 2 });
  });
});

describe('a disrupted zone', () => {
  it('says in the row of each node that is held why, and until when at the latest', () => {
    const zone = new SilentZone(50);
    zone.silence(20);
    zone.pass(1);

    const { brakes } = zone.ledger.zone.head;
    expect(brakes.disrupted).toMatchObject({ rule: 6, silent: 20, nodes: 50, since: at(630), until: at(630 + 900) });
    expect(zone.ledger.because(nodeId(7))).toBe(
      `held suspect by rule 6: 20 of 50 nodes of zone default fell silent together; the zone is disrupted until ${new Date(at(1_530)).toISOString()} at the latest`,
    );
  });

  it('still gives up nodes that fall silent for themselves, no more than 15 % in all', () => {
    const zone = new SilentZone(50);
    zone.silence(8);
    zone.pass(3);
    for (let n = 10; n < 20; n++) {
      zone.silence(1, n);
      zone.pass(1);
    }

    expect(zone.lost).toBe(7);
  });

  it('is calm again when fewer than 10 % are silent for two leases, and what is silent still is lost', () => {
    const zone = new SilentZone(50);
    zone.silence(10);
    zone.pass(1);
    zone.hear([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    zone.pass(1);
    expect(zone.ledger.node(nodeId(10)).status).toBe('suspect');
    zone.pass(1);

    expect(zone.ledger.zone.head.brakes.disrupted).toBeUndefined();
    expect(zone.ledger.node(nodeId(10)).status).toBe('down');
  });
});

describe('a rack', () => {
  it('of which all nodes fall silent in one window is held for 15 minutes, in a zone that is calm', () => {
    const zone = new SilentZone(50);
    for (const n of [1, 2, 3]) zone.label(n, { rack: 'r7' });
    zone.silence(3);

    zone.pass(14);
    expect(zone.lost).toBe(0);
    expect(zone.ledger.zone.head.brakes.disrupted).toBeUndefined();
    expect(zone.ledger.because(nodeId(2))).toContain('rule 8: all nodes of rack r7 fell silent in one window');
    zone.pass(3);

    expect(zone.lost).toBe(3);
  });

  it('of which one node is heard all the while is no network failure', () => {
    const zone = new SilentZone(50);
    for (const n of [1, 2, 3]) zone.label(n, { rack: 'r7' });
    zone.silence(2);
    zone.pass(1);

    expect(zone.lost).toBe(2);
  });
});

describe('an operator', () => {
  it('ends a disruption: who is silent by then is lost, in plans of thirty', () => {
    const zone = new SilentZone(50);
    zone.silence(50);
    zone.pass(30);
    expect(zone.lost).toBe(0);

    zone.calm();
    zone.pass(1);

    expect(zone.lost).toBe(50);
  });

  it('who has frozen expiry keeps every node, and lets them go when he thaws it', () => {
    const zone = new SilentZone(5);
    zone.ledger.setHead({ brakes: { freeze: 'expiry' } });
    zone.silence(1);
    zone.pass(60);
    expect(zone.ledger.because(nodeId(1))).toContain('rule 16');
    expect(zone.lost).toBe(0);

    zone.ledger.setHead({ brakes: {} });
    zone.pass(1);

    expect(zone.lost).toBe(1);
  });

  it('who has frozen moves keeps every slot where it is, and the lost node is down all the same', () => {
    const zone = new SilentZone(5);
    const before = zone.ledger.zone.map;
    zone.ledger.setHead({ brakes: { freeze: 'moves' } });
    zone.silence(1);
    zone.pass(10);

    expect(zone.lost).toBe(1);
    expect(moved(before, zone.ledger.zone.map)).toEqual([]);
  });
});

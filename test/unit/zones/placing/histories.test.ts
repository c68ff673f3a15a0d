import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EpochMs, plusMs } from '../../../../lib/core/time.ts';
import { decide } from '../../../../lib/nodes/decide.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { fillOf } from '../../../../lib/runtime/commit-size.ts';
import { generationAt, rosterSize, standingAt } from '../../../../lib/zones/map/rows/roster.ts';
import { nobody } from '../../../../lib/zones/map/rows/slots.ts';
import { admits, gone, serves, standingOf, standings } from '../../../../lib/zones/map/rows/standing.ts';
import { splitMap } from '../../../../lib/zones/map/split.ts';
import { plan } from '../../../../lib/zones/placing/plan.ts';
import type { LoadedZone } from '../../../../lib/zones/rows/loaded.ts';
import { at, aZone, nodeFqdn, nodeId } from '../../../../tools/support/builders.ts';
import { aBeat, aJoin, aNodeUp, drop, hasReleased, isLeaving, isReady, stay } from '../../nodes/reports.ts';
import { Ledger } from '../ledger.ts';
import { moved } from '../members.ts';

const nodes = 7;
const slots = 256;
const doings = [
  'boot',
  'flush',
  'ready',
  'beat',
  'drain',
  'hold',
  'release',
  'stay',
  'drop',
  'weigh',
  'wait',
  'wait long',
  'sweep',
  'sweep',
] as const;
type Doing = { readonly does: (typeof doings)[number]; readonly n: number };
const doing: fc.Arbitrary<Doing> = fc.record({ does: fc.constantFrom(...doings), n: fc.integer({ min: 1, max: nodes }) });

/** What a node or its operator says; `boot` is counted so that no clone is met. */
function inputOf(
  { does, n }: Doing,
  node: Node | undefined,
  now: EpochMs,
  boot: number,
  mapVersion: number,
): Parameters<typeof decide>[1] | undefined {
  const by = { receivedAt: now, incarnation: Math.max(1, node?.incarnation ?? 1) };
  switch (does) {
    case 'boot':
      return node ? aNodeUp({ boot: `boot-${boot}`, receivedAt: now }) : ({ ...aJoin, node: nodeId(n), fqdn: nodeFqdn(n) } as typeof aJoin);
    case 'flush':
      return aNodeUp({ boot: `boot-${boot}`, receivedAt: now, flushed: node?.generation ?? 0 });
    case 'ready':
      return isReady(by);
    case 'beat':
      return aBeat({ ...by, seq: (node?.seq ?? 0) + 1 });
    case 'drain':
    case 'hold':
      return isLeaving(does, { ...by, until: plusMs(now, 120_000) });
    case 'release':
      return hasReleased(mapVersion, by);
    case 'stay':
      return stay;
    case 'drop':
      return drop;
    case 'weigh':
      return { type: 'edit', id: 'e', weight: 1 + (boot % 4) };
    default:
      return undefined;
  }
}

/** One plan of a history: the zone before and after it. */
type Planned = {
  readonly before: LoadedZone;
  readonly after: LoadedZone;
  readonly ledger: Ledger;
  readonly weights: ReadonlyMap<number, number>;
};

/** Every node is heard but one, whose lease may run out. */
function beatAllBut(silent: number, ledger: Ledger, now: EpochMs): void {
  for (const node of ledger.nodes()) {
    const decision = decide(node, aBeat({ receivedAt: now, incarnation: Math.max(1, node.incarnation), seq: node.seq + 1 }), now);
    if (node.id !== nodeId(silent) && decision.does === 'write') ledger.put(decision.next, decision.because);
  }
}

const everybody = Array.from({ length: nodes }, (_, n) => n + 1);
/** How every history begins: all join, boot, and say that they are ready. */
const beginning: Doing[] = [
  ...(['boot', 'boot', 'ready'] as const).flatMap((does) => everybody.slice(0, 4).map((n) => ({ does, n }))),
  { does: 'sweep', n: 1 },
];

/** Plays a history, sweeping as the product does: tick every node, then plan the due ones, until the head rests. */
function play(history: readonly Doing[], each: (planned: Planned) => void): void {
  const ledger = new Ledger(aZone({ nodes: [], slots, head: { slots } }));
  let now = at(0);
  for (const [boot, one] of [...beginning, ...history].entries()) {
    now = plusMs(now, one.does === 'wait' ? 20_000 : one.does === 'wait long' ? 1_900_000 : 1_000);
    if (one.does.startsWith('wait')) beatAllBut(one.n, ledger, now);
    const node = ledger.read<Node>('node', nodeId(one.n));
    const input = inputOf(one, node, now, boot, ledger.zone.head.mapVersion);
    const decision = input && decide(node, input, now);
    if (decision?.does === 'write') ledger.put(decision.next, decision.because);
    if (one.does === 'sweep') sweep(ledger, now, each);
  }
}

function sweep(ledger: Ledger, now: EpochMs, each: (planned: Planned) => void): void {
  const due = ledger.nodes().flatMap((node) => {
    const decision = decide(node, { type: 'tick' }, now);
    if (decision.does === 'write') ledger.put(decision.next, decision.because);
    return decision.does !== 'remove' && decision.wakeAt !== undefined && decision.wakeAt <= now ? [node.id] : [];
  });
  const before = ledger.zone;
  const snapshot = ledger.snapshot(due);
  expect(plan(snapshot, now, fillOf)).toEqual(plan({ ...snapshot, nodes: [...snapshot.nodes].reverse() }, now, fillOf));
  ledger.plan(now, due);
  const weights = new Map(ledger.nodes().flatMap((node) => (node.index === undefined ? [] : [[node.index, node.weight]])));
  each({ before, after: ledger.zone, ledger, weights });
}

const always = (holds: (planned: Planned) => void, numRuns = 150): void =>
  fc.assert(
    fc.property(fc.array(doing, { minLength: 30, maxLength: 150 }), (history) => play(history, holds)),
    { seed: 1_024, numRuns },
  );
const codes = ({ head }: LoadedZone): number[] =>
  Array.from({ length: rosterSize(head.roster) }, (_, index) => standingAt(head.roster, index));

describe('after any sequence of plans', () => {
  it('every slot has an owner that serves, and a home that was not given up, whenever any node is up', () => {
    let checked = 0;
    always(({ after }) => {
      if (!codes(after).some(admits)) return;
      checked++;
      const codeOf = (index: number): number => standingAt(after.head.roster, index);
      expect(after.map.owner.every((owner) => serves(codeOf(owner)))).toBe(true);
      expect(after.map.home.some((home) => codeOf(home) === standings.dropped || codeOf(home) === standings.none)).toBe(false);
    });
    expect(checked).toBeGreaterThan(1_000);
  });

  it('no more slots have moved than had to, but for one a node', () => {
    always(({ before, after, weights }) => {
      const now = codes(after);
      const was = codes(before);
      const newlyUp = now.flatMap((code, index) => (admits(code) && !admits(was[index] ?? 0) ? [index] : []));
      const total = now.reduce((sum, code, index) => sum + (admits(code) ? (weights.get(index) ?? 1) : 0), 0);
      let bound = now.length;
      // What the slots were like that there are now: a plan may have split them, which moves nobody.
      const { owner: owners, home: homes } = splitMap(before.map, after.head.slots);
      for (let slot = 0; slot < after.head.slots; slot++) {
        const owner = owners[slot]!;
        const home = homes[slot]!;
        const leaves = owner === nobody || gone(now[owner]!) || now[owner] === standings.draining;
        if (leaves || (home !== owner && newlyUp.includes(home))) bound++;
      }
      // A newcomer is owed its share; so is one that is left bare when others take their home back.
      const owned = new Set(before.map.owner);
      const owed = now.flatMap((code, index) =>
        admits(code) && (newlyUp.includes(index) || !owned.has(index) || newlyUp.length > 0) ? [index] : [],
      );
      const isBare = (index: number): boolean => !after.map.home.includes(index) || !before.map.home.includes(index);
      for (const index of owed) if (isBare(index)) bound += (after.head.slots * (weights.get(index) ?? 1)) / total;
      expect(moved(before.map, after.map).length).toBeLessThanOrEqual(Math.ceil(bound));
    });
  });

  it('an index belongs to one node for ever, and a node that was dropped stays dropped there', () => {
    always(({ before, after }) => {
      before.members.forEach((member, index) => {
        if (member) expect(after.members[index]?.node).toBe(member.node);
        if (standingAt(before.head.roster, index) === standings.dropped)
          expect(standingAt(after.head.roster, index)).toBe(standings.dropped);
      });
      expect(rosterSize(after.head.roster)).toBeGreaterThanOrEqual(rosterSize(before.head.roster));
      expect(after.head.version).toBeGreaterThanOrEqual(before.head.version);
    });
  });

  it('the roster shows every node as its own row has it', () => {
    const standingIn = {
      joining: 'joining',
      up: 'up',
      suspect: 'suspect',
      down: 'down',
      dropped: 'dropped',
      quarantined: 'quarantined',
    } as const;
    always(({ after, ledger }) => {
      for (const node of ledger.nodes()) {
        expect(node.awaitsPlan).toBeUndefined();
        if (node.index === undefined) continue;
        expect(generationAt(after.head.roster, node.index)).toBe(node.generation);
        const shown = standingOf(standingAt(after.head.roster, node.index));
        expect(shown).toBe(
          node.status === 'leaving'
            ? node.leaving.mode === 'hold'
              ? 'held'
              : 'draining'
            : standingIn[node.status as keyof typeof standingIn],
        );
      }
    });
  });
});

import { describe, expect, it } from 'vitest';
import type { Fqdn, NodeId, ZoneName } from '../../../lib/core/ids.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import { markOf, Node } from '../../../lib/nodes/node.ts';
import { attributesOf } from '../../../lib/ports/table/attributes.ts';
import { itemSize } from '../../../lib/ports/table/size.ts';
import { contentOf } from '../../../lib/runtime/content.ts';
import { aNode, at } from '../../../tools/support/builders.ts';
import { aBeat } from './reports.ts';

/** The bytes of a node's row as its table stores it. */
function sizeOf(node: Node): number {
  const decision = {
    does: 'write',
    next: Node.parse(node),
    events: [],
    because: 'not heard for 38 s: its lease ran out',
    wakeAt: at(48),
  } as const;
  const content = contentOf({ noun: 'node', id: node.id }, undefined, decision, {
    by: '0198a1f2-7c3d-7a44-9a51-5f0e2b6c9d10',
    at: at(10),
    exact: true,
  });
  return itemSize(attributesOf(content!, 123_456));
}

/** Two senders have vouched for it. */
const voice = { since: at(0), ups: ['L_LkKgu7', 'Fo9sJpjR'].map((of) => ({ of, seq: 1_777_636_800_000 })) };
const uuid = '3f2b8c1e-5d6a-4b7c-8e9f-0a1b2c3d4e5f';
const fqdn = 'uyuni-proxy-042.branch-amsterdam.retail.example.com' as Fqdn;
/** Every field there is, as long as it is in earnest. */
const loaded = {
  id: 'nffffffffffffffff' as NodeId,
  fqdn,
  watch: `${fqdn}:4505`,
  zone: 'retail-europe-west' as ZoneName,
  kind: 'uyuni',
  labels: { rack: 'row12-rack07', site: 'amsterdam' },
  capacity: 1_000_000,
  weight: 2.75,
  index: 65_533,
  generation: 65_535,
  incarnation: 123_456,
  seq: 12_345_678,
  boot: { id: uuid, kernel: uuid, receivedAt: at(10), before: uuid },
  load: { load1: 12.25, load5: 11.75, load15: 10.5, memoryUsedMib: 1_234_567, memoryMib: 2_345_678, systems: 123_456 },
  word: { at: at(9), report: uuid },
  flap: { score: 4.7, at: at(9) },
  awaitsPlan: true,
} as const;

/** The same of a storage node, which has no client systems, and with that neither a capacity nor slots. */
const { capacity: _clients, ...unlimited } = loaded;
const storing = {
  ...unlimited,
  kind: 'storage',
  weight: 1,
  table: { hash: markOf(uuid), now: markOf(uuid), load: markOf(uuid), taken: 12_345_678 },
} as const;

describe("a node's row", () => {
  it.each([
    aNode({ ...loaded, unready: true }),
    aNode({ ...loaded, vouched: true, voice }),
    aNode({
      status: 'leaving',
      ...loaded,
      leaving: { mode: 'hold', since: at(0), until: at(9), orderVersion: 123_456, releasedVersion: 123_455 },
      ordered: 'drop',
    }),
    aNode({ status: 'suspect', ...loaded, was: 'leaving', leaving: { mode: 'drain', since: at(0), until: at(9), orderVersion: 123_456 } }),
    aNode({ status: 'quarantined', ...loaded, reason: 'operator', ordered: 'drop' }),
    aNode(storing),
    aNode({ status: 'leaving', ...storing, leaving: { mode: 'hold', since: at(0), until: at(9) }, ordered: 'drop' }),
    aNode({ status: 'suspect', ...storing, was: 'leaving', leaving: { mode: 'drain', since: at(0), until: at(9) } }),
    aNode({ status: 'quarantined', ...storing, reason: 'operator', ordered: 'drop' }),
  ])('takes at most 1 KB with everything in it, so that a heartbeat is one unit: $kind, $status', (node) => {
    expect(sizeOf(node)).toBeLessThanOrEqual(1_024);
  });

  it('stays within 1 KB with the loads of the last hour, and an ordinary one has all of that', () => {
    const ordinary = aNode({ fqdn: 'uyuni-proxy-042.example.com' as Fqdn, labels: { rack: 'row12-rack07' } });
    const heard = (node: Node): Node =>
      Array.from({ length: 70 }, (_, n) => n + 1).reduce<Node>((known, n) => {
        const decision = decide(known, aBeat({ seq: known.seq + 1, receivedAt: at(60 * n) }), at(60 * n));
        return decision.does === 'write' ? decision.next : known;
      }, node);
    expect(heard(ordinary).loads?.points).toHaveLength(60);
    for (const node of [ordinary, aNode({ ...loaded, unready: true }), aNode(storing), aNode({ ...loaded, leaseUntil: at(48) })])
      expect(sizeOf(heard(node))).toBeLessThanOrEqual(1_024);
  });
});

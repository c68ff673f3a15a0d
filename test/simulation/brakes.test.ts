import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../lib/core/time.ts';
import type { Node } from '../../lib/nodes/node.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import { aNode, at, nodeFqdn, nodeId } from '../../tools/support/builders.ts';
import type { Court, Invariant } from './invariants/invariant.ts';
import { brakes } from './invariants/zones/brakes.ts';
import { together } from './invariants/zones/together.ts';
import type { Committed } from './watching.ts';

/** When a node is given up that was last heard at noon. */
const lostAt = at(45);

const rowOf = (body: Node, by = 'heartbeat-1'): Row =>
  ({ key: keyOf({ noun: 'node', id: body.id }), body, by, because: 'not heard', events: [], at: lostAt }) as unknown as Row;

/** What an invariant says against a plan that gives up the first node of a zone while these others are as they are. */
function saidOf(invariant: Invariant, others: readonly { readonly index?: number | undefined; readonly heardAt?: EpochMs }[]): string[] {
  const said: string[] = [];
  const court = { violated: (what: string) => said.push(what), world: () => ({ cluster: { environments: [] } }) };
  const watcher = invariant.begin(court as unknown as Court);
  const taken = (before: Node | undefined, after: Node, by?: string): void =>
    watcher.committed!([{ at: lostAt, by: 'sweep-1', before: before && rowOf(before), after: rowOf(after, by) } as Committed]);
  const lost = aNode({ status: 'suspect' });
  taken(undefined, lost);
  for (const [n, other] of others.entries())
    taken(undefined, aNode({ id: nodeId(n + 2), fqdn: nodeFqdn(n + 2), index: n + 1, ...other } as Partial<Node>));
  taken(lost, aNode({ status: 'down', downAt: lostAt }), 'plan-1');
  return said;
}

const heard = { heardAt: at(44) };
/** It has joined, and no plan has found it among what is due. */
const newcomer = { index: undefined };

describe('a node that is given up', () => {
  it('is a violation while most of three members are silent', () => {
    expect(saidOf(brakes, [{}, heard])).toEqual([expect.stringContaining('while 2 of 3 nodes were silent')]);
  });

  it('is none beside the silence of a newcomer, of which a plan may know nothing', () => {
    expect(saidOf(brakes, [newcomer, heard])).toEqual([]);
  });

  it('is none beside newcomers that are heard, which a plan may count', () => {
    expect(saidOf(brakes, [{}, heard, { ...newcomer, ...heard }])).toEqual([]);
  });
});

describe('a node that is given up soon', () => {
  it('is a violation when it fell silent with two others', () => {
    expect(saidOf(together, [{}, {}, heard])).toEqual([expect.stringContaining('3 of 4 had fallen silent together')]);
  });

  it('is none when one of them is a newcomer, of which a plan may know nothing', () => {
    expect(saidOf(together, [{}, newcomer, heard])).toEqual([]);
  });
});

import { expect, it } from 'vitest';
import type { NodeId } from '../../lib/core/ids.ts';
import type { Node } from '../../lib/nodes/node.ts';
import { nothingAcknowledged, type Taken } from './acknowledged.ts';
import type { Evidence } from './evidence.ts';
import { nodeRules } from './rules-nodes.ts';

const node = 'n1' as NodeId;
const taken: Taken = { type: 'node.leaving', node, incarnation: 1, askedAt: 100 };

/** A word `first` about leaving, taken at 100, and the node as `word` has left it; `by` has made the event. */
const evidence = (word: { readonly at: number; readonly report: string }, by: string): Evidence => ({
  ack: { ...nothingAcknowledged(), taken: new Map([['first', taken]]) },
  stored: {
    nodes: new Map([[node, { id: node, status: 'leaving', incarnation: 1, word } as unknown as Node]]),
    clients: new Map(),
    eventSeqs: new Map(),
    waiting: [],
    restAt: 1_000,
    isPublishing: false,
    dead: new Set(),
    history: new Map([[`node/${node}`, [{ seq: 1, type: 'node.departing', by, data: {} } as never]]]),
  },
  history: new Map(),
  followed: undefined as never,
});

const rule = nodeRules.find(({ name }) => name === 'node.leaving')!;

it.each([
  ['made the event', { at: 110, report: 'first' }, 'first', 0],
  ['was refused, and is kept', { at: 110, report: 'first' }, 'other', 0],
  ['was overtaken by one that was said after it', { at: 200, report: 'second' }, 'second', 0],
  ['is gone, and the node leaves by one that was said before it', { at: 90, report: 'before' }, 'before', 1],
])('a word about leaving that %s', (_what, word, by, faults) => {
  expect(rule.against(evidence(word, by))).toHaveLength(faults);
});

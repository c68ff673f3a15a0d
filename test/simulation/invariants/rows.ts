import type { EpochMs } from '../../../lib/core/time.ts';
import type { Node, NodeStatus } from '../../../lib/nodes/node.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import type { Committed } from '../watching.ts';
import { onceEach } from './once.ts';

/** The clocks of two environments differ by as much as this at the most, in ms: each is at most half of it off. */
export const skewMs = 200;

/** A node's row in a commit, as the node was and is: undefined where there is none, or none any more. */
export type NodeStep = {
  /** When it was committed, by the world's clock. */
  readonly at: EpochMs;
  /** The id of the input that caused it. */
  readonly cause: string;
  readonly id: string;
  readonly before: Node | undefined;
  readonly after: Node | undefined;
  readonly row: Row;
};

const nodeOf = (row: Row | undefined): Node | undefined => (row === undefined || row.gone ? undefined : (row.body as Node));

/** The nodes of a commit. */
export const nodeSteps = onceEach((changes: readonly Committed[]): readonly NodeStep[] =>
  changes.flatMap(({ at, before, after }): NodeStep[] =>
    after.key.sk === 'node'
      ? [{ at, cause: after.by, id: (after.body as Node).id, before: nodeOf(before), after: nodeOf(after), row: after }]
      : [],
  ),
);

/**
 * A place that one node gives up and another takes in the same commit: the index, and both nodes as they were and are.
 */
export type Handover = { readonly index: number; readonly old: NodeStep; readonly by: NodeStep };

/**
 * The places that are handed over in a commit: the old node has no index any more, and the one that replaces it has
 * that.
 */
export function handoversOf(steps: readonly NodeStep[]): Handover[] {
  return steps.flatMap((old): Handover[] => {
    const index = old.before?.index;
    if (index === undefined || old.after === undefined || old.after.index !== undefined) return [];
    const by = steps.find(({ id, after }) => id === old.after?.replacedBy?.node && after?.index === index);
    return by ? [{ index, old, by }] : [];
  });
}

/** Whether a zone's plan wrote it; everybody else only decides about one row. */
export const isPlanned = ({ cause }: { readonly cause: string }): boolean => cause.startsWith('plan-');

/** By a plan and for its silence; one that an operator has replaced is out by his word. */
export const isGivenUp = (step: NodeStep): boolean =>
  isPlanned(step) && step.before?.status === 'suspect' && step.after?.status === 'down' && step.before.replacedBy === undefined;

/** It has been admitted and was not given up. */
export const isMember = (node: Node | undefined): node is Exclude<Node, { status: 'absent' | 'waiting' | 'dropped' }> =>
  node !== undefined && node.status !== 'absent' && node.status !== 'waiting' && node.status !== 'dropped';

/** A plan has given it a place in its zone's roster: from then on every plan of the zone knows it. */
export const isTakenIn = ({ index }: Node): boolean => index !== undefined;

/** Until when a node is not to be missed; undefined for one that has no lease. */
export const leaseOf = (node: Node | undefined): EpochMs | undefined =>
  node === undefined ? undefined : 'leaseUntil' in node ? node.leaseUntil : node.status === 'down' ? node.returning?.leaseUntil : undefined;

/** A node in a sentence. */
export const told = ({ id, before, after, row }: NodeStep): string =>
  `${id.slice(0, 8)} went from ${statusOf(before)} to ${statusOf(after)} by ${row.by} (${row.because})`;

const statusOf = (node: Node | undefined): NodeStatus | 'nothing' => node?.status ?? 'nothing';

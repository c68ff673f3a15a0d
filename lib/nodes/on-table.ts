import { type Decision, nothing, write } from '../decision.ts';
import type { Node } from './node.ts';

/** The table of a node's boot has been taken in: which, under which boot of the kernel, the boot's incarnation, and its number among the agent's words. */
export type TableTaken = {
  readonly id: string;
  readonly incarnation: number;
  readonly seq: number;
  readonly hash: string;
  readonly kernel: string;
};

/** What runs on the host is as its agent said; heartbeats with the same hash say that it still is. */
export function onTable(node: Node | undefined, { incarnation, seq, hash, kernel }: TableTaken): Decision<Node> {
  if (!node || node.incarnation !== incarnation) return nothing('the table of another boot');
  const { taken } = node.table ?? {};
  if (taken?.incarnation === incarnation && taken.seq >= seq) return nothing(`table ${seq} after table ${taken.seq}`);
  if (node.table?.hash === hash && node.table.kernel === kernel && node.table.other === undefined)
    return nothing('its table is known already');
  return write<Node, never>({ ...node, table: { hash, kernel, taken: { incarnation, seq } } }, 'its processes are as its table says');
}

/** Nothing is known of what runs on the host: its agent is asked for its table, within two heartbeats. */
export function forgetTable(node: Node | undefined): Decision<Node> {
  if (node?.table?.hash === undefined) return nothing('no table of it is known');
  const { hash: _known, other: _said, ...table } = node.table;
  return write<Node, never>({ ...node, table }, 'an operator: what runs there is not known until it has said it');
}

import { type Decision, nothing, write } from '../../core/decision.ts';
import { markOf, type Node } from '../node.ts';

/**
 * The table of a node's boot has been taken in: which, the boot's incarnation, and its number among the agent's words.
 */
export type TableTaken = {
  readonly id: string;
  readonly incarnation: number;
  readonly seq: number;
  readonly hash: string;
  /** The load of its cluster whose processes were looked for in it. */
  readonly load: string | undefined;
};

/** What runs on the host is as its agent said; heartbeats with the same hash say that it still is. */
export function onTable(node: Node | undefined, { incarnation, seq, ...said }: TableTaken): Decision<Node> {
  if (!node || node.incarnation !== incarnation) return nothing('the table of another boot');
  const { taken } = node.table ?? {};
  if (taken !== undefined && taken >= seq) return nothing(`table ${seq} after table ${taken}`);
  const load = said.load === undefined ? {} : { load: markOf(said.load) };
  const table = { hash: markOf(said.hash), ...load, taken: seq };
  return write<Node, never>({ ...node, table }, 'its processes are as its table says');
}

/** Nothing is known of what runs on the host: its agent is asked for its table, within two heartbeats. */
export function forgetTable(node: Node | undefined): Decision<Node> {
  if (node?.table?.hash === undefined) return nothing('no table of it is known');
  const { hash: _known, now: _said, ...table } = node.table;
  return write<Node, never>({ ...node, table }, 'an operator: what runs there is not known until it has said it');
}

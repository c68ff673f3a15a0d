import { type Decision, nothing, write } from '../../core/decision.ts';
import { markOf, type Node } from '../node.ts';

/** A table that was taken in: its id, the incarnation of the node's boot, and its number among the agent's reports. */
export type TableTaken = {
  readonly id: string;
  readonly incarnation: number;
  readonly seq: number;
  readonly hash: string;
  /** The load of its cluster whose processes were looked up in it. */
  readonly load: string | undefined;
};

/** Records what runs on the host as its agent reported it; heartbeats with the same hash confirm that. */
export function onTable(node: Node | undefined, { incarnation, seq, ...reported }: TableTaken): Decision<Node> {
  if (!node || node.incarnation !== incarnation) return nothing('the table of another boot');
  const { taken } = node.table ?? {};
  if (taken !== undefined && taken >= seq) return nothing(`table ${seq} after table ${taken}`);
  const load = reported.load === undefined ? {} : { load: markOf(reported.load) };
  const table = { hash: markOf(reported.hash), ...load, taken: seq };
  return write<Node, never>({ ...node, table }, 'its processes match its table');
}

/** Forgets what runs on the host: within two heartbeats its agent is asked for its table. */
export function forgetTable(node: Node | undefined): Decision<Node> {
  if (node?.table?.hash === undefined) return nothing('no table of it is known');
  const { hash: _known, now: _now, ...table } = node.table;
  return write<Node, never>({ ...node, table }, 'an operator discarded its table: it must report its processes again');
}

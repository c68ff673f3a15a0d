import { type Decision, nothing, write } from '../../core/decision.ts';
import type { NodeId } from '../../core/ids.ts';
import { markOf, type Node } from '../node.ts';

/** The sender of a report about what runs on a host: its node, the boot of its agent, and its number in that boot. */
export type ReportSource = { readonly node: NodeId; readonly incarnation: number; readonly seq: number };

/** Whether a row has heard the same node since a table, or as late, so that the table changes nothing there. */
export const isOvertaken = (heard: ReportSource | undefined, { node, incarnation, seq }: ReportSource): boolean =>
  heard?.node === node && (heard.incarnation > incarnation || (heard.incarnation === incarnation && heard.seq >= seq));

type Process = { readonly pid: number } | undefined;
type WithProcess = { readonly heard?: ReportSource | undefined; readonly running?: Process };
/**
 * Whether a table that changed nothing about a row lists another process than the row has. Either the report that the
 * row has heard overtook the table, or two machines have counted their reports under one boot.
 */
export const isContradicted = ({ heard, running }: WithProcess, entry: Process, table: ReportSource): boolean =>
  isOvertaken(heard, table) && running?.pid !== entry?.pid;

/**
 * A table that was taken in: its id, the incarnation of the node's boot, and its number among the agent's reports. It
 * has a hash only where it agrees with every row.
 */
export type TableTaken = {
  readonly id: string;
  readonly incarnation: number;
  readonly seq: number;
  readonly hash: string | undefined;
  /** The load of its cluster whose processes were looked up in it. */
  readonly load: string | undefined;
};

/**
 * Records what runs on the host as its agent reported it; heartbeats with the same hash confirm that. Without a hash no
 * heartbeat does, and within two of them the agent is asked for its table again.
 */
export function onTable(node: Node | undefined, { incarnation, seq, ...reported }: TableTaken): Decision<Node> {
  if (!node || node.incarnation !== incarnation) return nothing('the table of another boot');
  const { taken } = node.table ?? {};
  if (taken !== undefined && taken >= seq) return nothing(`table ${seq} after table ${taken}`);
  const load = reported.load === undefined ? {} : { load: markOf(reported.load) };
  if (reported.hash === undefined)
    return write<Node, never>(
      { ...node, table: { ...load, taken: seq } },
      'a report contradicts its table: it must report its processes again',
    );
  const table = { hash: markOf(reported.hash), ...load, taken: seq };
  return write<Node, never>({ ...node, table }, 'its processes match its table');
}

/** Forgets what runs on the host, for an operator: within two heartbeats its agent is asked for its table. */
export const forgetTable = (node: Node | undefined): Decision<Node> => withoutTable(node, 'an operator discarded its table');

/** The same, after a report of a process that may not be the one in its table. */
export const contradictTable = (node: Node | undefined): Decision<Node> => withoutTable(node, 'a report contradicts its table');

function withoutTable(node: Node | undefined, why: string): Decision<Node> {
  if (node?.table?.hash === undefined) return nothing('no table of it is known');
  const { hash: _known, now: _now, ...table } = node.table;
  return write<Node, never>({ ...node, table }, `${why}: it must report its processes again`);
}

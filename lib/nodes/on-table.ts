import { type Decision, nothing, write } from '../decision.ts';
import type { Node } from './node.ts';

/** The table of a node's boot has been taken in: which, under which boot of the kernel, and the boot's incarnation. */
export type TableTaken = { readonly id: string; readonly incarnation: number; readonly hash: string; readonly kernel: string };

/** What runs on the host is as its agent said; heartbeats with the same hash say that it still is. */
export function onTable(node: Node | undefined, { incarnation, hash, kernel }: TableTaken): Decision<Node> {
  if (!node || node.incarnation !== incarnation) return nothing('the table of another boot');
  if (node.table?.hash === hash && node.table.kernel === kernel && node.table.other === undefined)
    return nothing('its table is known already');
  return write<Node, never>({ ...node, table: { hash, kernel } }, 'its processes are as its table says');
}

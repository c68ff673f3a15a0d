import type { AdminCall } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { Node } from '../../nodes/node.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNode } from '../../zones/reads/found.ts';
import { nodeRows } from './rows.ts';

/**
 * The nodes of a zone that a text names, separated by commas: by id, by name, or by a label and its value, such as
 * `rack=r12`. Throws a {@link Refusal} for a part that names none.
 */
export async function lostNodes({ params, caller }: AdminCall<'previewZone'>, shell: Shell, text: string): Promise<Node[]> {
  const rows = await nodeRows(shell, params.zone);
  const present = rows.map(({ body }) => body).filter(({ status }) => status !== 'dropped');
  const found = new Map<string, Node>();
  for (const part of text.split(',').map((one) => one.trim())) {
    const nodes = part.includes('=') ? labelled(present, part) : [await named(shell, params.zone, part, caller)];
    if (nodes.length === 0) throw new Refusal('unknown-node', `no node of zone ${params.zone} has the label ${part}`);
    for (const node of nodes) found.set(node.id, node);
  }
  return [...found.values()];
}

function labelled(nodes: readonly Node[], part: string): Node[] {
  const at = part.indexOf('=');
  const [name, value] = [part.slice(0, at), part.slice(at + 1)];
  return nodes.filter(({ labels }) => Object.entries(labels).some(([key, its]) => key === name && its === value));
}

async function named(shell: Shell, zone: string, name: string, caller: AdminCall<'previewZone'>['caller']): Promise<Node> {
  const { node } = await foundNode(shell, name, caller);
  if (node.zone !== zone || node.status === 'dropped') throw new Refusal('unknown-node', `zone ${zone} has no node ${name}`);
  return node;
}

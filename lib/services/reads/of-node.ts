import type { Node } from '../../nodes/node.ts';
import { nodePartition, serviceRange } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import { trustedRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Service, serviceRef } from '../service.ts';

/** All services of a node: one of each type at the most. */
export async function servicesOf(shell: Pick<Shell, 'table' | 'now'>, node: Pick<Node, 'id'>): Promise<Service[]> {
  const services: Service[] = [];
  for (let after: string | undefined; ; ) {
    const page = await shell.table.query({
      pk: nodePartition(node.id),
      ...serviceRange,
      limit: 200,
      ...(after !== undefined && { after }),
    });
    services.push(...trustedRows(serviceRef, page.items).flatMap((row) => stateOf(row, shell.now()) ?? []));
    if (page.next === undefined) return services;
    after = page.next;
  }
}

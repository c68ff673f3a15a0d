import type { ServiceName } from '../../core/ids.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { serviceList, servicesNamed } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import { readListed, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Service, serviceRef } from '../service.ts';
import { foundService } from '../view.ts';
import type { FoundService } from '../view-routes.ts';

/**
 * The nodes of some services by their ids, as they were a moment ago: the displayed state of a service takes the loss
 * of its node into account.
 */
export async function nodesOfServices(shell: Shell, services: readonly Service[]): Promise<ReadonlyMap<string, Node>> {
  const ids = [...new Set(services.map(({ node }) => node))];
  const rows = await readRows(
    shell,
    ids.map((id) => nodeRef(id)),
    'lately',
  );
  return new Map(rows.flatMap((row) => stateOf(row, shell.now()) ?? []).map((node) => [node.id, node]));
}

/** The maximum number of services that a search by name returns: twice as many as a zone has nodes in seed 002. */
const foundMax = 1_000;

/** The services of a name in a zone, in the order of their nodes, online services first. */
export async function servicesCalled(shell: Shell, zone: string, name: ServiceName): Promise<FoundService[]> {
  const range = servicesNamed(name);
  const { items } = await shell.table.queryIndex({ index: 'list', pk: serviceList(zone), ...range, limit: foundMax });
  const rows = await readListed(
    shell,
    serviceRef,
    items.map(({ key }) => key),
  );
  const services = rows.flatMap((row) => stateOf(row, shell.now()) ?? []).filter((one) => one.zone === zone && one.name === name);
  const nodes = await nodesOfServices(shell, services);
  const found = services.map((one) => foundService(one, nodes.get(one.node)));
  const isOnline = ({ state }: FoundService): boolean => state === 'online';
  return [...found.filter(isOnline), ...found.filter((one) => !isOnline(one))];
}

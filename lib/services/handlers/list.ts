import type { AdminCall } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { Node } from '../../nodes/node.ts';
import { nodePartition, serviceList, serviceRange, servicesNamed, servicesOfType } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { cursorAt, positionOf } from '../../runtime/cursors.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { read } from '../../runtime/read.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNodeIn, foundZone } from '../../zones/reads/found.ts';
import { typeIn } from '../reads/catalogue.ts';
import { nodesOfServices } from '../reads/found.ts';
import { relatedOf, relatedTo } from '../reads/related.ts';
import { watchersOf } from '../reads/supervision.ts';
import type { ServiceTypes } from '../rows/service-type.ts';
import { type Service, serviceId, serviceRef } from '../service.ts';
import { serviceView } from '../view.ts';
import { putTypesOf } from './types.ts';

type Call = AdminCall<'listServices'>;
/** Rows of services as they are now, and where the page after them begins. */
type Page = { readonly rows: readonly (Row | undefined)[]; readonly next?: string | undefined };

/** A page of the services of a zone, or of one of its nodes. */
export async function listServices({ params: { zone }, query, caller }: Call, shell: Shell): Promise<Answer> {
  const { cursor, limit, type, name, state, node: given } = query;
  const node = given === undefined ? undefined : await foundNodeIn(shell, zone, given, caller);
  if (!node) await foundZone(shell, zone, caller);
  const signature = `services of ${[zone, node?.id, type, name, state].join(' ')}`;
  const after = await positionOf(shell, cursor, signature);
  const from = { limit, ...(after !== undefined && { after }) };
  const { rows, next } = node ? await ofNode(shell, node.id, from) : await ofZone(shell, zone, query, from);
  const now = shell.now();
  const services = rows
    .flatMap((row) => stateOf<Service>(row, now) ?? [])
    .filter((one) => one.zone === zone && (type === undefined || one.type === type) && (name === undefined || one.name === name));
  const nodes = await nodesOfServices(shell, services);
  const watchers = await watchersOf(shell, zone, services);
  const put = await putTypesOf(shell, zone);
  const related = await relatedOf(shell, put, services);
  const views = services.map((one) =>
    serviceView(one, nodes.get(one.node), {
      schema: schemaOf(put, one),
      watcher: watchers.get(serviceId(one)),
      related: related.get(serviceId(one)),
    }),
  );
  const items = views.filter((one) => state === undefined || one.state === state);
  return { status: 200, body: { items, ...(next !== undefined && { next: await cursorAt(shell, next, signature) }) } };
}

type From = { readonly limit: number; readonly after?: string };

async function ofNode(shell: Shell, node: string, from: From): Promise<Page> {
  const { items, next } = await shell.table.query({ pk: nodePartition(node), ...serviceRange, ...from });
  return { rows: items, next };
}

/** Index entries are only a hint: each row is read again. */
async function ofZone(shell: Shell, zone: string, { type, name }: Pick<Call['query'], 'type' | 'name'>, from: From): Promise<Page> {
  const named = type === undefined ? undefined : typeIn(await putTypesOf(shell, zone), type)?.type;
  if (type !== undefined && !named) return { rows: [] };
  const range = named ? servicesOfType(named) : name === undefined ? {} : servicesNamed(name);
  const { items, next } = await shell.table.queryIndex({ index: 'list', pk: serviceList(zone), ...range, ...from });
  return {
    rows: await readAll(
      shell,
      items.map(({ key }) => key),
    ),
    next,
  };
}

/** The service of a type on a node. */
export async function getService({ params: { zone, type, node: given }, caller }: AdminCall<'getService'>, shell: Shell): Promise<Answer> {
  const node = await foundNodeIn(shell, zone, given, caller);
  const service = await read(shell, serviceRef({ node: node.id, type }));
  if (!service) throw new Refusal('unknown-service', `no service ${type} is registered on ${node.fqdn}`);
  const watchers = await watchersOf(shell, zone, [service]);
  const put = await putTypesOf(shell, zone);
  const related = await relatedTo(shell, put, service);
  const details = { schema: schemaOf(put, service), watcher: watchers.get(serviceId(service)), related };
  return { status: 200, body: serviceView(service, node satisfies Node, details) };
}

/** The schema of a service's configuration, as text. */
const schemaOf = (put: ServiceTypes | undefined, { type }: Service): string | undefined => typeIn(put, type)?.schema.configuration;

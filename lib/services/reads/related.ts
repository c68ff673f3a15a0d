import type { Fqdn } from '../../core/ids.ts';
import { fqdnRef } from '../../nodes/rows/name.ts';
import type { keyOf } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type FoundRelated, type NamedService, namedBy, runsWith } from '../relations.ts';
import type { ServiceTypes } from '../rows/service-type.ts';
import { viewedState } from '../rows/shown.ts';
import { type Service, serviceId, serviceRef } from '../service.ts';
import { typeIn } from './catalogue.ts';
import { nodesOfServices } from './found.ts';

/** How rows are read: as they are, or as a plan remembers them. */
type Reads = (refs: readonly Parameters<typeof keyOf>[0][]) => Promise<readonly (Row | undefined)[]>;

/**
 * A named service with its row and the reference of that row, which is undefined where no node has the name of the
 * host.
 */
export type RelatedRow = FoundRelated & { readonly ref: ReturnType<typeof serviceRef> | undefined; readonly row: Row | undefined };

/**
 * The services that are named in a zone, each with its present row. A service that is named several times is read once.
 */
async function found(read: Reads, zone: string, named: readonly NamedService[], now: ReturnType<Shell['now']>): Promise<RelatedRow[]> {
  const hosts: readonly Fqdn[] = [...new Set(named.map(({ host }) => host))];
  const holders = await read(hosts.map((id) => fqdnRef(id)));
  const nodes = new Map(hosts.map((host, n) => [host, stateOf<{ readonly node: string }>(holders[n], now)?.node]));
  const refOf = ({ host, to }: NamedService) => {
    const node = nodes.get(host);
    return node === undefined ? undefined : serviceRef({ node, type: to });
  };
  const refs = [...new Map(named.flatMap((one) => refOf(one) ?? []).map((ref) => [ref.id, ref])).values()];
  const inTurn = await read(refs);
  const rows = new Map(refs.map(({ id }, n) => [id, inTurn[n]]));
  return named.map((one): RelatedRow => {
    const ref = refOf(one);
    const row = ref && rows.get(ref.id);
    const service = stateOf<Service>(row, now);
    return { ...one, ref, row, service: service?.zone === zone ? service : undefined };
  });
}

/** The services that an order's configuration names, as its plan reads them. */
export const relatedIn = (
  reading: Reading,
  zone: string,
  named: readonly NamedService[],
  now: ReturnType<Shell['now']>,
): Promise<RelatedRow[]> => found((refs) => reading.rows(refs), zone, named, now);

/** A service that another one names, as it is displayed: with its node and state where it is registered. */
export type RelatedView = Pick<NamedService, 'name' | 'to' | 'host'> & {
  readonly node?: Service['node'];
  readonly state?: ReturnType<typeof viewedState>['is'];
};

/**
 * The services that each of these services of a zone names in the configuration that it runs with, by the ids of their
 * rows. A service whose type has no relations costs nothing.
 */
export async function relatedOf(
  shell: Shell,
  put: ServiceTypes | undefined,
  services: readonly Service[],
): Promise<ReadonlyMap<string, readonly RelatedView[]>> {
  const naming = services.flatMap((service) => {
    const schema = typeIn(put, service.type)?.schema;
    return schema ? namedBy(schema, runsWith(service)).named.map((named) => ({ id: serviceId(service), named })) : [];
  });
  const [first] = services;
  if (!first || naming.length === 0) return new Map();
  const named = naming.map((one) => one.named);
  const related = await found((refs) => readRows(shell, refs), first.zone, named, shell.now());
  const nodes = await nodesOfServices(
    shell,
    related.flatMap(({ service }) => service ?? []),
  );
  const views = related.map(({ name, to, host, service: it }, n) => ({
    id: naming[n]!.id,
    one: { name, to, host, ...(it && { node: it.node, state: viewedState(it, nodes.get(it.node)).is }) } satisfies RelatedView,
  }));
  const byId = Map.groupBy(views, ({ id }) => id);
  return new Map([...byId].map(([id, all]) => [id, all.map(({ one }) => one)]));
}

/** The same for one service. */
export const relatedTo = async (shell: Shell, put: ServiceTypes | undefined, service: Service): Promise<readonly RelatedView[]> =>
  (await relatedOf(shell, put, [service])).get(serviceId(service)) ?? [];

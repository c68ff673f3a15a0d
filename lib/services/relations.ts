import type { Fault } from '../core/check.ts';
import { Fqdn, type ServiceTypeName } from '../core/ids.ts';
import { shownConfiguration } from './rows/secrets.ts';
import type { RelationName, ServiceSchema } from './rows/service-type.ts';
import type { Service } from './service.ts';

/**
 * How many services a configuration names at the most, over all its relations: an order looks at each, and a commit
 * takes a hundred rows.
 */
export const relatedMax = 32;

/**
 * A service that a configuration names: by which relation, of which type, on which host, and where in the
 * configuration.
 */
export type NamedService = {
  readonly name: RelationName;
  readonly to: ServiceTypeName;
  readonly host: Fqdn;
  readonly pointer: string;
};

/** What the relations of a schema name in a configuration, and what stands there that names no host. */
export type NamedServices = { readonly named: readonly NamedService[]; readonly faults: readonly Fault[] };

/** The configuration that a service runs with, as JSON text: what was ordered, unless it has said otherwise. */
export const runsWith = ({ configuration, drift }: Pick<Service, 'configuration' | 'drift'>): string =>
  drift?.configuration ?? configuration;

/**
 * Which services a configuration names by the relations of its schema: each by the host under the relation's name, or
 * by a list of hosts. A secret names nobody, because the graph shows what is named.
 */
export function namedBy({ relations, configuration: schema }: ServiceSchema, text: string): NamedServices {
  if (relations.length === 0) return { named: [], faults: [] };
  const shown: unknown = shownConfiguration(schema, text);
  const all = relations.flatMap(({ name, to }) => hostsIn(Object(shown) as object, name).map((one) => ({ name, to, ...one })));
  const found = all.slice(0, relatedMax).map((one) => ({ ...one, host: Fqdn.safeParse(one.host) }));
  const named = found.flatMap(({ host, ...one }): NamedService[] => (host.success ? [{ ...one, host: host.data }] : []));
  const faults = found.flatMap(({ host, pointer, to }): Fault[] =>
    host.success ? [] : [{ pointer, detail: `it names the host of a service ${to}, or a list of such hosts` }],
  );
  const tooMany = all.length > relatedMax ? [{ pointer: '', detail: `${relatedMax} services are named at the most` }] : [];
  return { named: eachOnce(named), faults: [...faults, ...tooMany] };
}

/** Who is named twice by a relation is there once. */
const eachOnce = (named: readonly NamedService[]): NamedService[] => [
  ...new Map(named.map((one) => [`${one.name} ${one.to} ${one.host}`, one])).values(),
];

function hostsIn(configuration: object, name: RelationName): { readonly pointer: string; readonly host: unknown }[] {
  const value: unknown = Object.hasOwn(configuration, name) ? configuration[name as never] : undefined;
  if (value === undefined || value === null) return [];
  const pointer = `/${name}`;
  return Array.isArray(value) ? value.map((host: unknown, n) => ({ pointer: `${pointer}/${n}`, host })) : [{ pointer, host: value }];
}

/** A service that was named, as it was found: nothing where no such service is registered. */
export type FoundRelated = NamedService & { readonly service: Service | undefined };

/** Each named service that cannot be counted on, because it is not registered or is about to end. */
export const missingOf = (related: readonly FoundRelated[]): Fault[] =>
  related.flatMap(({ pointer, to, host, service }) => {
    if (!service) return [{ pointer, detail: `no service ${to} is registered on ${host}` }];
    if (service.stopping) return [{ pointer, detail: `the service ${to} on ${host} is being stopped` }];
    return service.state.is === 'stopping' ? [{ pointer, detail: `the service ${to} on ${host} is about to end` }] : [];
  });

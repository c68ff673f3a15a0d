import type { Fault } from '../core/check.ts';
import { Fqdn, type ServiceTypeName } from '../core/ids.ts';
import { maskedConfiguration } from './rows/secrets.ts';
import type { RelationName, ServiceSchema } from './rows/service-type.ts';
import type { Service } from './service.ts';

/**
 * The maximum number of services that a configuration names, over all its relations: an order reads each of them, and a
 * commit takes a hundred rows.
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

/**
 * The services that a configuration names by the relations of its schema, and a fault for each value that names no
 * host.
 */
export type NamedServices = { readonly named: readonly NamedService[]; readonly faults: readonly Fault[] };

/** The configuration that a service runs with, as JSON text: the ordered one, unless it has reported another. */
export const runsWith = ({ configuration, drift }: Pick<Service, 'configuration' | 'drift'>): string =>
  drift?.configuration ?? configuration;

/**
 * The services that a configuration names by the relations of its schema: under the name of each relation it has a
 * host, or a list of hosts. A secret names no service, because the graph displays the services that are named.
 */
export function namedBy({ relations, configuration: schema }: ServiceSchema, text: string): NamedServices {
  if (relations.length === 0) return { named: [], faults: [] };
  const masked: unknown = maskedConfiguration(schema, text);
  const all = relations.flatMap(({ name, to }) => hostsIn(Object(masked) as object, name).map((one) => ({ name, to, ...one })));
  const found = all.slice(0, relatedMax).map((one) => ({ ...one, host: Fqdn.safeParse(one.host) }));
  const named = found.flatMap(({ host, ...one }): NamedService[] => (host.success ? [{ ...one, host: host.data }] : []));
  const faults = found.flatMap(({ host, pointer, to }): Fault[] =>
    host.success ? [] : [{ pointer, detail: `must be the host of a service ${to}, or a list of such hosts` }],
  );
  const tooMany = all.length > relatedMax ? [{ pointer: '', detail: `a configuration names at most ${relatedMax} services` }] : [];
  return { named: eachOnce(named), faults: [...faults, ...tooMany] };
}

/** Removes services that a relation names twice. */
const eachOnce = (named: readonly NamedService[]): NamedService[] => [
  ...new Map(named.map((one) => [`${one.name} ${one.to} ${one.host}`, one])).values(),
];

function hostsIn(configuration: object, name: RelationName): { readonly pointer: string; readonly host: unknown }[] {
  const value: unknown = Object.hasOwn(configuration, name) ? configuration[name as never] : undefined;
  if (value === undefined || value === null) return [];
  const pointer = `/${name}`;
  return Array.isArray(value) ? value.map((host: unknown, n) => ({ pointer: `${pointer}/${n}`, host })) : [{ pointer, host: value }];
}

/** A named service with what was found; `service` is undefined where no such service is registered. */
export type FoundRelated = NamedService & { readonly service: Service | undefined };

/** A fault for each named service that is not available, because it is not registered or is about to end. */
export const missingOf = (related: readonly FoundRelated[]): Fault[] =>
  related.flatMap(({ pointer, to, host, service }) => {
    if (!service) return [{ pointer, detail: `no service ${to} is registered on ${host}` }];
    if (service.stopping) return [{ pointer, detail: `the service ${to} on ${host} is being stopped` }];
    return service.state.is === 'stopping' ? [{ pointer, detail: `the service ${to} on ${host} is about to end` }] : [];
  });

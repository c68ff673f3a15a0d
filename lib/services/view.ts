import { ServiceName, type ServiceTypeName } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { NodeStatus } from '../nodes/node.ts';
import { differsBetween } from './differs.ts';
import { maskedConfiguration } from './rows/secrets.ts';
import { type ServiceSchema, type ServiceType, type ShutOut, usualSpans } from './rows/service-type.ts';
import { viewedState } from './rows/shown.ts';
import { takesCommand } from './rows/takes-command.ts';
import { instanceOf, type Service } from './service.ts';
import type { ServiceTypePut, ServiceTypeView } from './type-routes.ts';
import { type CataloguedType, noConfiguration } from './types.ts';
import type { FoundService, ServiceView } from './view-routes.ts';

/** A type as the API displays it. `all` are the types of its zone; `out` is present where it is shut out. */
export function typeView({ type, schema, origin }: CataloguedType, all: readonly CataloguedType[], out?: ShutOut): ServiceTypeView {
  const { schema: _name, configuration, messages, questions, takesCommand: _promised, ...rest } = type;
  const sharedWith = all
    .filter((other) => other.schema.name === schema.name && other.type.name !== type.name)
    .map((other) => other.type.name);
  return {
    origin,
    ...rest,
    takesCommand: takesCommand(type),
    schema: { ...schema, configuration: JSON.parse(schema.configuration), sharedWith },
    messages: messages.map(({ data, ...message }) => ({ ...message, data: JSON.parse(data) })),
    ...(questions && { questions: questions.map(({ data, ...question }) => ({ ...question, data: JSON.parse(data) })) }),
    configuration: maskedConfiguration(schema.configuration, configuration),
    ...(out && { shutOut: { since: iso(out.at), because: out.because } }),
  };
}

/** A type that is put, as it is stored: the type, and its schema if it brings one. */
export function typeOfPut(name: ServiceTypeName, put: ServiceTypePut): { readonly type: ServiceType; readonly schema?: ServiceSchema } {
  const { schema: given, serviceName, start, messages, questions, configuration, startMs, stopMs, askMs, takesCommand, ...rest } = put;
  const own = typeof given === 'string' ? undefined : given;
  const schema = { name: own?.name ?? name, configuration: JSON.stringify(own?.configuration ?? {}) };
  const type: ServiceType = {
    name,
    serviceName: serviceName ?? ServiceName.parse(name),
    schema: typeof given === 'string' ? given : schema.name,
    program: { is: 'command', start },
    ...(takesCommand === false && { takesCommand }),
    ...rest,
    messages: messages.map(({ data, ...message }) => ({ ...message, data: JSON.stringify(data) })),
    ...(questions?.length && { questions: questions.map(({ data, ...question }) => ({ ...question, data: JSON.stringify(data) })) }),
    configuration: configuration === undefined ? noConfiguration : JSON.stringify(configuration),
    startMs: startMs ?? usualSpans.startMs,
    stopMs: stopMs ?? usualSpans.stopMs,
    askMs: askMs ?? usualSpans.askMs,
  };
  const isNamed = typeof given === 'string';
  return { type, ...(!isNamed && { schema: { ...schema, resources: own?.resources ?? [], relations: own?.relations ?? [] } }) };
}

/** The part of a node that the state of its services depends on; undefined where the node is gone. */
type OfNode = { readonly status: NodeStatus } | undefined;

const iso = (at: EpochMs): string => new Date(at).toISOString();

/**
 * A service as the API and the CLI display it: it takes the loss of its node into account, has each secret of its
 * schema masked, and contains its supervisor and the services that it needs.
 */
export function serviceView(
  service: Service,
  node: OfNode,
  {
    schema,
    watcher,
    related = [],
  }: {
    readonly schema: string | undefined;
    readonly watcher?: ServiceView['supervisor'];
    readonly related?: readonly NonNullable<ServiceView['relations']>[number][] | undefined;
  },
): ServiceView {
  const { type, name, host, zone, configuration, since, registered, running, address, version, resources, stopping } = service;
  const { attempts, retryAt, healthy, asks, results, drift } = service;
  const viewed = viewedState(service, node);
  return {
    type,
    name,
    node: service.node,
    host,
    zone,
    instance: instanceOf(service),
    state: viewed.is,
    ...(viewed.is === 'failed' && { reason: viewed.reason }),
    ...(viewed.is === 'inhibited' && { previous: viewed.previous }),
    since: iso(since),
    registered: iso(registered),
    configuration: maskedConfiguration(schema, configuration),
    resources,
    ...(drift && { drift: driftView(schema, configuration, drift) }),
    ...(related.length > 0 && { relations: [...related] }),
    ...(running && { pid: running.pid }),
    ...(address !== undefined && { address }),
    ...(version !== undefined && { version }),
    ...(stopping && { stopping }),
    ...(attempts && { attempts }),
    ...(retryAt !== undefined && { retryAt: iso(retryAt) }),
    ...(healthy !== undefined && { healthy }),
    asks: asks.map(({ id, what, message, until }) => ({ id, what, ...(message && { message }), until: iso(until) })),
    results: results.map(({ at, ...result }) => ({ ...result, at: iso(at) })),
    ...(watcher && { supervisor: watcher }),
  };
}

const driftView = (
  schema: string | undefined,
  ordered: string,
  { configuration, since }: NonNullable<Service['drift']>,
): NonNullable<ServiceView['drift']> => ({
  configuration: maskedConfiguration(schema, configuration),
  since: iso(since),
  differs: differsBetween(schema, ordered, configuration),
});

/** A service as a search by name returns it. */
export function foundService(service: Service, node: OfNode): FoundService {
  const { name, type, host, address } = service;
  const found = { name, type, node: service.node, host, instance: instanceOf(service), state: viewedState(service, node).is };
  return { ...found, ...(address !== undefined && { address }) };
}

import type { ServiceTypePut, ServiceTypeView } from '../api/service-views.ts';
import { ServiceName, type ServiceTypeName } from '../ids.ts';
import { type ServiceSchema, type ServiceType, usualSpans } from './service-type.ts';
import { type CataloguedType, noConfiguration } from './types.ts';

/** A type as the API shows it, one of all those of its zone. */
export function typeView({ type, schema, origin }: CataloguedType, all: readonly CataloguedType[]): ServiceTypeView {
  const { schema: _name, configuration, messages, ...rest } = type;
  const sharedWith = all
    .filter((other) => other.schema.name === schema.name && other.type.name !== type.name)
    .map((other) => other.type.name);
  return {
    ...{ origin, ...rest, schema: { ...schema, configuration: JSON.parse(schema.configuration), sharedWith } },
    ...{ messages: messages.map(({ data, ...message }) => ({ ...message, data: JSON.parse(data) })) },
    configuration: JSON.parse(configuration),
  };
}

/** What is put, as it is kept: the type, and its schema if it brings one. */
export function typeOfPut(name: ServiceTypeName, put: ServiceTypePut): { readonly type: ServiceType; readonly schema?: ServiceSchema } {
  const { schema: given, serviceName, start, messages, configuration, startMs, stopMs, askMs, ...rest } = put;
  const own = typeof given === 'string' ? undefined : given;
  const schema = { name: own?.name ?? name, configuration: JSON.stringify(own?.configuration ?? {}) };
  const type: ServiceType = {
    ...{ name, serviceName: serviceName ?? ServiceName.parse(name), schema: typeof given === 'string' ? given : schema.name },
    program: { is: 'command', start },
    ...rest,
    messages: messages.map(({ data, ...message }) => ({ ...message, data: JSON.stringify(data) })),
    configuration: configuration === undefined ? noConfiguration : JSON.stringify(configuration),
    startMs: startMs ?? usualSpans.startMs,
    stopMs: stopMs ?? usualSpans.stopMs,
    askMs: askMs ?? usualSpans.askMs,
  };
  const isNamed = typeof given === 'string';
  return { type, ...(!isNamed && { schema: { ...schema, resources: own?.resources ?? [], relations: own?.relations ?? [] } }) };
}

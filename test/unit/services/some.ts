import type { Unchecked, Verdict } from '../../../lib/core/check.ts';
import type { ServiceName, ServiceTypeName } from '../../../lib/core/ids.ts';
import { judge } from '../../../lib/ports/checks/json-schema.ts';
import { ServiceSchema, ServiceType, usualSpans } from '../../../lib/services/rows/service-type.ts';

/** A decision, with the verdict that it needs. */
export function judged<O extends { readonly does: string }>(decide: (verdict: Verdict | undefined) => O): Exclude<O, Unchecked> {
  const first = decide(undefined);
  if (first.does !== 'check') return first as Exclude<O, Unchecked>;
  return decide(judge((first as unknown as Unchecked).check)) as Exclude<O, Unchecked>;
}

/**
 * What the services of the tests are configured by: a port, and nothing else. They may hold a database, with others or
 * alone.
 */
export const schemas: readonly ServiceSchema[] = [
  ServiceSchema.parse({
    name: 'web',
    configuration: JSON.stringify({
      type: 'object',
      properties: { port: { type: 'integer' } },
      required: ['port'],
      additionalProperties: false,
    }),
    resources: [
      { kind: 'database', hold: 'shared' },
      { kind: 'database', hold: 'exclusive' },
    ],
    relations: [],
  }),
];

/** A type of that schema that runs a command, understands `ping`, and has this service name. */
export const aType = (name: string, serviceName = name): ServiceType =>
  ServiceType.parse({
    name: name as ServiceTypeName,
    serviceName: serviceName as ServiceName,
    schema: 'web',
    program: { is: 'command', start: ['/usr/bin/web'] },
    messages: [
      {
        name: 'ping',
        data: JSON.stringify({ type: ['object', 'null'], properties: { n: { type: 'integer' } } }),
        command: ['/usr/bin/ping'],
      },
    ],
    configuration: '{}',
    ...usualSpans,
  });

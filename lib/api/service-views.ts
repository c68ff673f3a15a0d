import * as z from 'zod';
import { ServiceName, ServiceTypeName } from '../ids.ts';
import { ServiceCommand, ServiceProgram, ServiceSchema, ServiceType } from '../services/service-type.ts';

const { resources, relations } = ServiceSchema.shape;
const { check, status, checkEveryMs, startMs, stopMs, askMs } = ServiceType.shape;

/** A type of service as the API and the CLI show it: with its schema, and with JSON Schemas and configurations as JSON. */
export const ServiceTypeView = z.strictObject({
  /** It came with Muster, or an operator has put it. */
  origin: z.enum(['muster', 'put']),
  name: ServiceTypeName,
  serviceName: ServiceName,
  /** Other types that have the same schema are in `sharedWith`. */
  schema: z.strictObject({ name: ServiceTypeName, configuration: z.json(), resources, relations, sharedWith: z.array(ServiceTypeName) }),
  program: ServiceProgram,
  ...{ check, status, checkEveryMs },
  messages: z.array(z.strictObject({ name: ServiceTypeName, data: z.json(), command: ServiceCommand })),
  configuration: z.json(),
  ...{ startMs, stopMs, askMs },
});
export type ServiceTypeView = z.infer<typeof ServiceTypeView>;

/** What an operator puts as a type of service. All but the command that runs it may be left out. */
export const ServiceTypePut = z.strictObject({
  /** What one service alone is called on a node at a time; without it as the type is. */
  serviceName: ServiceName.optional(),
  /** The name of a schema that there is, or one of its own: by the type's name unless it says another. Without any, every configuration fits. */
  schema: z
    .union([
      ServiceTypeName,
      z.strictObject({
        name: ServiceTypeName.optional(),
        configuration: z.json().default({}),
        resources: resources.default([]),
        relations: relations.default([]),
      }),
    ])
    .optional(),
  /** The command that runs it, in words: no shell reads it. */
  start: ServiceCommand,
  ...{ check, status, checkEveryMs },
  messages: z
    .array(z.strictObject({ name: ServiceTypeName, data: z.json().default({}), command: ServiceCommand }))
    .max(32)
    .default([]),
  /** Of those that are started without one. */
  configuration: z.record(z.string(), z.json()).optional(),
  startMs: startMs.optional(),
  stopMs: stopMs.optional(),
  askMs: askMs.optional(),
});
export type ServiceTypePut = z.infer<typeof ServiceTypePut>;

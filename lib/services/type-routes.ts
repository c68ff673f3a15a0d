import * as z from 'zod';
import { route } from '../api/route.ts';
import { ServiceName, ServiceTypeName, ZoneName } from '../core/ids.ts';
import { relations as ownEdges } from '../graph/graph.ts';
import { QuestionRule, ServiceCommand, ServiceProgram, ServiceSchema, ServiceType } from './rows/service-type.ts';

export const { resources, relations } = ServiceSchema.shape;

const { check, status, checkEveryMs, onDrift, startMs, stopMs, askMs } = ServiceType.shape;

/**
 * A type of service as the API and the CLI show it: with its schema, and with JSON Schemas and configurations as JSON.
 */
export const ServiceTypeView = z.strictObject({
  /** It came with Muster, or an operator has put it. */
  origin: z.enum(['muster', 'put']),
  name: ServiceTypeName,
  serviceName: ServiceName,
  /** Other types that have the same schema are in `sharedWith`. */
  schema: z.strictObject({ name: ServiceTypeName, configuration: z.json(), resources, relations, sharedWith: z.array(ServiceTypeName) }),
  program: ServiceProgram,
  /**
   * Its configuration or a message may name a command: starting it, configuring it and sending it something need the
   * scope `execute`.
   */
  takesCommand: z.boolean(),
  check,
  status,
  checkEveryMs,
  onDrift,
  messages: z.array(z.strictObject({ name: ServiceTypeName, data: z.json(), command: ServiceCommand })),
  /** What its services may ask Muster; absent where that is nothing. */
  questions: z.array(z.strictObject({ name: ServiceTypeName, data: z.json(), rule: QuestionRule })).optional(),
  configuration: z.json(),
  startMs,
  stopMs,
  askMs,
  /** It takes no new configuration: a check by one of its schemas ran out of time. Putting it again ends this. */
  shutOut: z.strictObject({ since: z.iso.datetime(), because: z.string() }).optional(),
  /**
   * What keeps its schemas from being used, where it was put before Muster looked at that: it takes no new
   * configuration. Of one type alone.
   */
  unusable: z.array(z.strictObject({ pointer: z.string(), detail: z.string() })).optional(),
});

export type ServiceTypeView = z.infer<typeof ServiceTypeView>;

/** Relations as they are put: each name means one, and none that the resource graph uses already. */
const ownRelations = relations.superRefine((all, context) => {
  for (const [n, { name }] of all.entries()) {
    const path = [n, 'name'];
    if (all.findIndex((one) => one.name === name) < n)
      context.addIssue({ code: 'custom', path, message: `there is a relation ${name} above` });
    if (ownEdges.some((own) => own === name))
      context.addIssue({ code: 'custom', path, message: `the resource graph calls edges of its own ${name}: choose another name` });
  }
});

/** What an operator puts as a type of service. All but the command that runs it may be left out. */
export const ServiceTypePut = z.strictObject({
  /** What one service alone is called on a node at a time; without it as the type is. */
  serviceName: ServiceName.optional(),
  /**
   * The name of a schema that there is, or one of its own: by the type's name unless it says another. Without any,
   * every configuration fits.
   */
  schema: z
    .union([
      ServiceTypeName,
      z.strictObject({
        name: ServiceTypeName.optional(),
        configuration: z.json().default({}),
        resources: resources.default([]),
        relations: ownRelations.default([]),
      }),
    ])
    .optional(),
  /** The command that runs it, in words: no shell reads it. */
  start: ServiceCommand,
  /**
   * `false` promises that nothing its services are configured by, or sent, is run as a command: then `operate` is
   * enough to start them.
   */
  takesCommand: z.boolean().optional(),
  check,
  status,
  checkEveryMs,
  onDrift,
  messages: z
    .array(z.strictObject({ name: ServiceTypeName, data: z.json().default({}), command: ServiceCommand }))
    .max(32)
    .default([]),
  /** What its services may ask Muster, and the rule that answers each. */
  questions: z
    .array(z.strictObject({ name: ServiceTypeName, data: z.json().default({}), rule: QuestionRule }))
    .max(32)
    .optional(),
  /** Of those that are started without one. */
  configuration: z.record(z.string(), z.json()).optional(),
  startMs: startMs.optional(),
  stopMs: stopMs.optional(),
  askMs: askMs.optional(),
});

export type ServiceTypePut = z.infer<typeof ServiceTypePut>;

const zone = z.strictObject({ zone: ZoneName });
const type = z.strictObject({ zone: ZoneName, type: ServiceTypeName });
const done = z.strictObject({ done: z.boolean(), because: z.string() });

/** The types of services of a zone. */
export const adminServiceTypeRoutes = {
  listServiceTypes: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/service-types',
    summary: 'The types of services of a zone: those that come with Muster, and those that were put',
    scope: 'read',
    params: zone,
    reply: z.strictObject({ items: z.array(ServiceTypeView) }),
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  getServiceType: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/service-types/{type}',
    summary: 'A type of service with its schema',
    scope: 'read',
    params: type,
    reply: ServiceTypeView,
    statuses: [200],
    errors: ['unknown-zone', 'unknown-service-type'],
  }),
  putServiceType: route({
    method: 'PUT',
    path: '/api/v1/zones/{zone}/service-types/{type}',
    summary:
      'Put a type of service: the command that runs it, what it is configured by as a JSON Schema of draft 2020-12, and what it can be asked. Refused while there are services of it, and for a type that comes with Muster',
    scope: 'execute',
    params: type,
    body: ServiceTypePut,
    reply: done,
    statuses: [200],
    errors: ['unknown-zone', 'invalid', 'refused'],
  }),
  deleteServiceType: route({
    method: 'DELETE',
    path: '/api/v1/zones/{zone}/service-types/{type}',
    summary: 'Take a type of service that was put out again. Refused while there are services of it',
    scope: 'execute',
    params: type,
    reply: done,
    statuses: [200],
    errors: ['unknown-zone', 'unknown-service-type', 'refused'],
  }),
} as const;

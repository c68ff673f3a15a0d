import * as z from 'zod';
import { route } from '../api/route.ts';
import { ServiceName, ServiceTypeName, ZoneName } from '../core/ids.ts';
import { relations as ownEdges } from '../graph/graph.ts';
import { QuestionRule, ServiceCommand, ServiceProgram, ServiceSchema, ServiceType } from './rows/service-type.ts';

export const { resources, relations } = ServiceSchema.shape;

const { check, status, checkEveryMs, onDrift, startMs, stopMs, askMs } = ServiceType.shape;

/**
 * A type of service as the API and the CLI display it: with its schema, and with JSON Schemas and configurations as
 * JSON.
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
  /** The questions that its services may ask Muster; absent where there are none. */
  questions: z.array(z.strictObject({ name: ServiceTypeName, data: z.json(), rule: QuestionRule })).optional(),
  configuration: z.json(),
  startMs,
  stopMs,
  askMs,
  /** It takes no new configuration: a check by one of its schemas ran out of time. Putting it again ends this. */
  shutOut: z.strictObject({ since: z.iso.datetime(), because: z.string() }).optional(),
  /**
   * The faults that make its schemas unusable, where it was put before Muster checked schemas: it takes no new
   * configuration. Only in the view of a single type.
   */
  unusable: z.array(z.strictObject({ pointer: z.string(), detail: z.string() })).optional(),
});

export type ServiceTypeView = z.infer<typeof ServiceTypeView>;

/** Relations as an operator puts them: each name occurs once, and the resource graph does not use it already. */
const ownRelations = relations.superRefine((all, context) => {
  for (const [n, { name }] of all.entries()) {
    const path = [n, 'name'];
    if (all.findIndex((one) => one.name === name) < n)
      context.addIssue({ code: 'custom', path, message: `there is a relation ${name} above` });
    if (ownEdges.some((own) => own === name))
      context.addIssue({ code: 'custom', path, message: `the resource graph uses the name ${name} itself: choose another name` });
  }
});

/** A type of service as an operator puts it. Only the command that runs it is required. */
export const ServiceTypePut = z.strictObject({
  /** The name that only one service on a node has at a time. By default it is the name of the type. */
  serviceName: ServiceName.optional(),
  /**
   * The name of an existing schema, or a schema of its own, which by default has the name of the type. Without a
   * schema, every configuration fits.
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
  /** The command that runs it, as a list of words: no shell reads it. */
  start: ServiceCommand,
  /**
   * `false` promises that its services run nothing from their configuration or messages as a command: then `operate` is
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
  /** The questions that its services may ask Muster, each with the rule that answers it. */
  questions: z
    .array(z.strictObject({ name: ServiceTypeName, data: z.json().default({}), rule: QuestionRule }))
    .max(32)
    .optional(),
  /** The configuration of services that are started without one. */
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
    summary: 'The types of services of a zone: those that come with Muster, and those that operators have put',
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
      'Put a type of service: the command that runs it, the schema of its configuration (JSON Schema, draft 2020-12), and the messages that it understands. Refused while services of the type exist, and for a type that comes with Muster',
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
    summary: 'Delete a type of service that an operator has put. Refused while services of the type exist',
    scope: 'execute',
    params: type,
    reply: done,
    statuses: [200],
    errors: ['unknown-zone', 'unknown-service-type', 'refused'],
  }),
} as const;

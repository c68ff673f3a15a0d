import * as z from 'zod';
import { relations as ownEdges } from '../graph/graph.ts';
import { Fqdn, InstanceId, NodeId, ServiceName, ServiceTypeName, ZoneName } from '../ids.ts';
import { Held } from '../services/service.ts';
import { QuestionRule, RelationName, ServiceCommand, ServiceProgram, ServiceSchema, ServiceType } from '../services/service-type.ts';
import { Moment } from './views.ts';

const { resources, relations } = ServiceSchema.shape;
const { check, status, checkEveryMs, onDrift, startMs, stopMs, askMs } = ServiceType.shape;

/** A type of service as the API and the CLI show it: with its schema, and with JSON Schemas and configurations as JSON. */
export const ServiceTypeView = z.strictObject({
  /** It came with Muster, or an operator has put it. */
  origin: z.enum(['muster', 'put']),
  name: ServiceTypeName,
  serviceName: ServiceName,
  /** Other types that have the same schema are in `sharedWith`. */
  schema: z.strictObject({ name: ServiceTypeName, configuration: z.json(), resources, relations, sharedWith: z.array(ServiceTypeName) }),
  program: ServiceProgram,
  /** Its configuration or a message may name a command: starting it, configuring it and sending it something need the scope `execute`. */
  takesCommand: z.boolean(),
  ...{ check, status, checkEveryMs, onDrift },
  messages: z.array(z.strictObject({ name: ServiceTypeName, data: z.json(), command: ServiceCommand })),
  /** What its services may ask Muster; absent where that is nothing. */
  questions: z.array(z.strictObject({ name: ServiceTypeName, data: z.json(), rule: QuestionRule })).optional(),
  configuration: z.json(),
  ...{ startMs, stopMs, askMs },
  /** It takes no new configuration: a check by one of its schemas ran out of time. Putting it again ends this. */
  shutOut: z.strictObject({ since: z.iso.datetime(), because: z.string() }).optional(),
  /** What keeps its schemas from being used, where it was put before Muster looked at that: it takes no new configuration. Of one type alone. */
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
  /** The name of a schema that there is, or one of its own: by the type's name unless it says another. Without any, every configuration fits. */
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
  /** `false` promises that nothing its services are configured by, or sent, is run as a command: then `operate` is enough to start them. */
  takesCommand: z.boolean().optional(),
  ...{ check, status, checkEveryMs, onDrift },
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

const question = z.strictObject({ what: z.enum(['check', 'status', 'message']), message: ServiceTypeName.optional() });
/** What came of a check, a status or a message: the exit code as OCF defines it, and what was printed. */
export const ServiceResultView = question.extend({
  /** The question that it answers; absent of a check that was due. */
  ask: z.string().optional(),
  exit: z.int().optional(),
  late: z.literal(true).optional(),
  says: z.string(),
  at: Moment,
});
export type ServiceResultView = z.infer<typeof ServiceResultView>;

/** What a service is doing as it is shown: with its node's loss taken in. */
export const ServiceStateName = z.enum(['starting', 'online', 'stopping', 'offline', 'failed', 'inhibited']);

/** A service on a node as the API and the CLI show it. */
export const ServiceView = z.strictObject({
  ...{ type: ServiceTypeName, name: ServiceName, node: NodeId, host: Fqdn, zone: ZoneName, instance: InstanceId },
  state: ServiceStateName,
  /** Why it has failed, or what it was before its node was lost. */
  reason: z.string().optional(),
  previous: ServiceStateName.optional(),
  ...{ since: Moment, registered: Moment },
  configuration: z.json(),
  /** What it says that it runs with instead, since when, and where that is not as it was ordered, as JSON pointers. */
  drift: z.strictObject({ configuration: z.json(), since: Moment, differs: z.array(z.string()) }).optional(),
  ...{ pid: z.int().positive().optional(), address: z.string().optional(), version: z.string().optional() },
  resources: z.array(Held),
  /** The services that it needs, as its configuration names them; one without a state is not registered. Absent where it names none. */
  relations: z
    .array(
      z.strictObject({ name: RelationName, to: ServiceTypeName, host: Fqdn, node: NodeId.optional(), state: ServiceStateName.optional() }),
    )
    .optional(),
  /** An operator stops it. */
  stopping: z.literal(true).optional(),
  /** How often it was started again by rule, and when it is next. */
  attempts: z.int().optional(),
  retryAt: Moment.optional(),
  healthy: z.boolean().optional(),
  /** What it is asked, and the last answers, the newest last. */
  asks: z.array(question.extend({ id: z.string(), until: Moment })),
  results: z.array(ServiceResultView),
  /** The node whose supervisor watches it, and since when that does not hear it. */
  supervisor: z.strictObject({ node: NodeId, host: Fqdn, missedSince: Moment.optional() }).optional(),
});
export type ServiceView = z.infer<typeof ServiceView>;

/** A service as whoever looks for one of its name is told of it. */
export const FoundService = z.strictObject({
  ...{ name: ServiceName, type: ServiceTypeName, node: NodeId, host: Fqdn, instance: InstanceId, state: ServiceStateName },
  address: z.string().optional(),
});
export type FoundService = z.infer<typeof FoundService>;

/** What Muster answers a service: yes or no and why, who has a resource, or who else has its service name. */
export const QuestionAnswer = z.union([
  z.strictObject({ yes: z.boolean(), because: z.string() }),
  z.strictObject({ holders: z.array(z.strictObject({ type: ServiceTypeName, node: NodeId, host: Fqdn })), exclusive: z.boolean() }),
  z.strictObject({ peers: z.array(FoundService) }),
]);
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

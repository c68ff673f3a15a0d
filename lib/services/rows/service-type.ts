import * as z from 'zod';
import { ResourceId } from '../../../events/reported/service.ts';
import { ServiceName, ServiceTypeName, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/**
 * How often it is at most asked for its health, how long each of its steps may take unless its type says so, in ms: the
 * original's stop takes 30 s.
 */
export const checkEveryMinMs = 1_000;
const span = z.int().positive().max(86_400_000);
export const usualSpans = { startMs: 180_000, stopMs: 30_000, askMs: 10_000 } as const;

/** How kinds of resources and relations are called. */
const plainWord = /^[a-z][a-z0-9-]{0,39}$/;

/** The kind of a resource that services hold, such as `database`. */
export const ResourceKind = z
  .string()
  .regex(plainWord, 'a kind of resource is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter');

/**
 * How a type calls that its services need others: the name of an edge of the resource graph, and of what in a
 * configuration says which ones.
 */
export const RelationName = z
  .string()
  .regex(plainWord, 'a relation is called by 1 to 40 lower-case letters, digits or hyphens, beginning with a letter')
  .brand<'RelationName'>();
export type RelationName = z.infer<typeof RelationName>;

/**
 * A command in words, as an agent runs it: no shell reads it. The configuration is in the file that
 * `MUSTER_SERVICE_CONFIGURATION` names.
 */
export const ServiceCommand = z.array(z.string().min(1).max(4_096)).min(1).max(64);
export type ServiceCommand = z.infer<typeof ServiceCommand>;

/**
 * What services of a type, or of several that share it, are configured by, which kinds of resources they may hold and
 * how, and which services of other types they need: by a relation, a configuration names the hosts of those under the
 * relation's own name. `configuration` is a JSON Schema of draft 2020-12, kept as the text that it came as.
 */
export const ServiceSchema = z.strictObject({
  name: ServiceTypeName,
  configuration: z.string(),
  resources: z.array(z.strictObject({ kind: ResourceKind, hold: z.enum(['shared', 'exclusive']) })).max(32),
  relations: z.array(z.strictObject({ name: RelationName, to: ServiceTypeName })).max(32),
});
export type ServiceSchema = z.infer<typeof ServiceSchema>;

/**
 * A message that services of a type understand: what it carries, as a JSON Schema in text, and the command that answers
 * it, which reads it from its standard input.
 */
export const ServiceMessage = z.strictObject({ name: ServiceTypeName, data: z.string(), command: ServiceCommand });
export type ServiceMessage = z.infer<typeof ServiceMessage>;

const atLeast = z.int().min(1).max(1_000);
/**
 * What a rule of a type's own looks at. `peers`: so many other services of its service name are online. `service`: so
 * many of another service name. `related`: so many of those that it needs by a relation of its type. `free`: no other
 * service holds the resource.
 */
export const Condition = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('peers'), atLeast }),
  z.strictObject({ is: z.literal('service'), name: ServiceName, atLeast }),
  z.strictObject({ is: z.literal('related'), by: RelationName, atLeast }),
  z.strictObject({ is: z.literal('free'), kind: ResourceKind, id: ResourceId }),
]);
export type Condition = z.infer<typeof Condition>;
const of = z.array(Condition).min(1).max(8);

/**
 * How Muster answers a question of a service. `may-stop`: yes while so many other services of its service name in the
 * zone are shown online. `holder`: who has the resource that the data names. `peers`: the other services of its service
 * name in the zone. `all` and `any` are rules of a type's own: yes where all of its conditions hold, or one.
 */
export const QuestionRule = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('may-stop'), leave: z.int().min(1).max(1_000) }),
  z.strictObject({ is: z.literal('holder') }),
  z.strictObject({ is: z.literal('peers') }),
  z.strictObject({ is: z.literal('all'), of }),
  z.strictObject({ is: z.literal('any'), of }),
]);
export type QuestionRule = z.infer<typeof QuestionRule>;

/**
 * A question that services of a type may ask Muster: what it carries, as a JSON Schema in text, and the rule that
 * answers it.
 */
export const ServiceQuestion = z.strictObject({ name: ServiceTypeName, data: z.string(), rule: QuestionRule });
export type ServiceQuestion = z.infer<typeof ServiceQuestion>;

/** What an agent runs for a type: a command, or something that the agent itself is able to do. */
export const ServiceProgram = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('command'), start: ServiceCommand }),
  z.strictObject({
    is: z.literal('built-in'),
    does: z.enum(['m0d', 'process', 'statistics', 'supervisor', 'recovery-supervisor', 'recovery-coordinator', 'rule']),
  }),
]);
export type ServiceProgram = z.infer<typeof ServiceProgram>;

/** A type of service: what is run under which name, by which schema, and how it is asked how it is. */
export const ServiceType = z.strictObject({
  name: ServiceTypeName,
  /** Of all services of this name, of whatever type, one runs on a node at a time. */
  serviceName: ServiceName,
  schema: ServiceTypeName,
  program: ServiceProgram,
  /**
   * Nothing that its services are configured by, or sent, is run as a command. Absent of a type for which nobody has
   * said so.
   */
  takesCommand: z.literal(false).optional(),
  /**
   * Ends with 0 while the service is well, as OCF has it; and prints what there is to say of it, which also goes to its
   * log.
   */
  check: ServiceCommand.optional(),
  status: ServiceCommand.optional(),
  /** How often its health is looked at without being asked. */
  checkEveryMs: z.int().min(checkEveryMinMs).max(86_400_000).optional(),
  messages: z.array(ServiceMessage).max(32),
  /** Absent of a type whose services ask nothing. */
  questions: z.array(ServiceQuestion).min(1).max(32).optional(),
  /**
   * What is done where a service says that it runs with another configuration than was ordered: that is what is ordered
   * from then on, or it is started again as it was ordered. Absent: it is shown.
   */
  onDrift: z.enum(['accept', 'restore']).optional(),
  /** The configuration of those that are started without one, as text. */
  configuration: z.string(),
  startMs: span,
  stopMs: span,
  askMs: span,
});
export type ServiceType = z.infer<typeof ServiceType>;

/**
 * A type that takes no new configuration: a check by its schema ran out of time. What runs of it goes on. Putting the
 * type again ends this.
 */
export const ShutOut = z.strictObject({ type: ServiceTypeName, at: EpochMs, because: z.string() });
export type ShutOut = z.infer<typeof ShutOut>;

/** The types and schemas that operators have registered in a zone, beside those that come with Muster. */
export const ServiceTypes = z.strictObject({
  zone: ZoneName,
  schemas: z.array(ServiceSchema),
  types: z.array(ServiceType),
  /** Of these types none is started any more: somebody deletes them. */
  closed: z.array(ServiceTypeName).min(1).optional(),
  /** A check by a schema of these types ran out of time. */
  shutOut: z.array(ShutOut).min(1).optional(),
});
export type ServiceTypes = z.infer<typeof ServiceTypes>;

/**
 * How many types an operator may register in a zone, and how long all of them may be, in bytes of JSON: seed 002
 * expects a few dozen.
 */
export const typesMax = 128;
export const typesTextMax = 262_144;

/** The types that operators have put into a zone, by its name. */
export const typesRef = refOf('service-types', ServiceTypes);

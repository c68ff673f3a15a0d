import * as z from 'zod';
import { ResourceId } from '../../../events/reported/service.ts';
import { ServiceName, ServiceTypeName, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/**
 * The minimum interval of health checks, and the default time limits of each step of a service, in ms: the original's
 * stop takes 30 s.
 */
export const checkEveryMinMs = 1_000;
const span = z.int().positive().max(86_400_000);
export const usualSpans = { startMs: 180_000, stopMs: 30_000, askMs: 10_000 } as const;

/** The names of kinds of resources and of relations. */
const plainWord = /^[a-z][a-z0-9-]{0,39}$/;

/** The kind of a resource that services hold, such as `database`. */
export const ResourceKind = z
  .string()
  .regex(plainWord, 'a kind of resource is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter');

/**
 * The name by which the services of a type need others. It is the name of an edge of the resource graph, and of the
 * property of a configuration that names the hosts of those services.
 */
export const RelationName = z
  .string()
  .regex(plainWord, 'the name of a relation is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter')
  .brand<'RelationName'>();
export type RelationName = z.infer<typeof RelationName>;

/**
 * A command as a list of words, as an agent runs it: no shell reads it. The configuration is in the file that
 * `MUSTER_SERVICE_CONFIGURATION` names.
 */
export const ServiceCommand = z.array(z.string().min(1).max(4_096)).min(1).max(64);
export type ServiceCommand = z.infer<typeof ServiceCommand>;

/**
 * The schema of a type, or of several types that share it: the configuration of its services, the kinds of resources
 * that they may hold and how, and the relations by which they need services of other types. A configuration names the
 * hosts of those services under the name of the relation. `configuration` is a JSON Schema of draft 2020-12, stored as
 * the text in which it came.
 */
export const ServiceSchema = z.strictObject({
  name: ServiceTypeName,
  configuration: z.string(),
  resources: z.array(z.strictObject({ kind: ResourceKind, hold: z.enum(['shared', 'exclusive']) })).max(32),
  relations: z.array(z.strictObject({ name: RelationName, to: ServiceTypeName })).max(32),
});
export type ServiceSchema = z.infer<typeof ServiceSchema>;

/**
 * A message that services of a type understand: its data, as a JSON Schema in text, and the command that answers it,
 * which reads it from its standard input.
 */
export const ServiceMessage = z.strictObject({ name: ServiceTypeName, data: z.string(), command: ServiceCommand });
export type ServiceMessage = z.infer<typeof ServiceMessage>;

const atLeast = z.int().min(1).max(1_000);
/**
 * A condition in a rule of a type's own. `peers`: so many other services of its service name are online. `service`: so
 * many services of another service name are online. `related`: so many of the services that it needs by a relation of
 * its type are online. `free`: no other service holds the resource.
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
 * The rule by which Muster answers a question of a service. `may-stop`: yes while so many other services of its service
 * name in the zone are online. `holder`: the holders of the resource that the data names. `peers`: the other services
 * of its service name in the zone. `all` and `any` are rules of a type's own: yes where all of its conditions hold, or
 * one.
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
 * A question that services of a type may ask Muster: its data, as a JSON Schema in text, and the rule that answers it.
 */
export const ServiceQuestion = z.strictObject({ name: ServiceTypeName, data: z.string(), rule: QuestionRule });
export type ServiceQuestion = z.infer<typeof ServiceQuestion>;

/** The program of a type: a command, or a function of the agent itself. */
export const ServiceProgram = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('command'), start: ServiceCommand }),
  z.strictObject({
    is: z.literal('built-in'),
    does: z.enum(['m0d', 'process', 'statistics', 'supervisor', 'recovery-supervisor', 'recovery-coordinator', 'rule']),
  }),
]);
export type ServiceProgram = z.infer<typeof ServiceProgram>;

/** A type of service: its program, the name and the schema of its services, and how they are checked. */
export const ServiceType = z.strictObject({
  name: ServiceTypeName,
  /** Only one service of this name, of whatever type, runs on a node at a time. */
  serviceName: ServiceName,
  schema: ServiceTypeName,
  program: ServiceProgram,
  /**
   * Its services run nothing from their configuration or messages as a command. Absent where no operator has promised
   * so.
   */
  takesCommand: z.literal(false).optional(),
  /**
   * `check` exits with 0 while the service is well, as OCF defines it. `status` prints the status of the service, which
   * also goes to its log.
   */
  check: ServiceCommand.optional(),
  status: ServiceCommand.optional(),
  /** How often its health is checked without a request, in ms. */
  checkEveryMs: z.int().min(checkEveryMinMs).max(86_400_000).optional(),
  messages: z.array(ServiceMessage).max(32),
  /** Absent where its services ask nothing. */
  questions: z.array(ServiceQuestion).min(1).max(32).optional(),
  /**
   * The rule for a service that reports another configuration than the ordered one. `accept`: the reported one becomes
   * the ordered one. `restore`: the service is restarted with the ordered one. Absent: the drift is only displayed.
   */
  onDrift: z.enum(['accept', 'restore']).optional(),
  /** The configuration of services that are started without one, as text. */
  configuration: z.string(),
  startMs: span,
  stopMs: span,
  askMs: span,
});
export type ServiceType = z.infer<typeof ServiceType>;

/**
 * A type that takes no new configuration: a check by its schema ran out of time. Its running services continue. Putting
 * the type again ends this.
 */
export const ShutOut = z.strictObject({ type: ServiceTypeName, at: EpochMs, because: z.string() });
export type ShutOut = z.infer<typeof ShutOut>;

/** The types and schemas that operators have registered in a zone, beside those that come with Muster. */
export const ServiceTypes = z.strictObject({
  zone: ZoneName,
  schemas: z.array(ServiceSchema),
  types: z.array(ServiceType),
  /** No service of these types can start any more: an operator is deleting the types. */
  closed: z.array(ServiceTypeName).min(1).optional(),
  /** A check by a schema of these types ran out of time. */
  shutOut: z.array(ShutOut).min(1).optional(),
});
export type ServiceTypes = z.infer<typeof ServiceTypes>;

/**
 * The maximum number of types that operators may register in a zone, and the maximum size of all of them, in bytes of
 * JSON: seed 002 expects a few dozen.
 */
export const typesMax = 128;
export const typesTextMax = 262_144;

/** The types that operators have put into a zone, by its name. */
export const typesRef = refOf('service-types', ServiceTypes);

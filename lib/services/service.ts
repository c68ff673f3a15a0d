import * as z from 'zod';
import { reportId } from '../../events/define.ts';
import { Fqdn, InstanceId, NodeId, ServiceName, ServiceTypeName, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { EpochMs } from '../core/time.ts';
import { ResourceKind } from './rows/service-type.ts';

/** What the type of service is called whose instances watch others. */
export const supervisorType = ServiceTypeName.parse('supervisor');

/** What an instance is doing, as its row has it. *Inhibited* is not among them: that is computed from its node. */
export const ServiceState = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('starting') }),
  z.strictObject({ is: z.literal('online') }),
  z.strictObject({ is: z.literal('stopping') }),
  z.strictObject({ is: z.literal('offline') }),
  z.strictObject({ is: z.literal('failed'), reason: z.string().min(1).max(400) }),
]);
export type ServiceState = z.infer<typeof ServiceState>;
export type ServiceStateName = ServiceState['is'];

/**
 * Every move of a service: from which states, and to which one. What is in no row of this table is refused with a
 * reason. The diagram in docs/ and the property tests are read from it.
 */
export const serviceMoves = {
  /**
   * By an operator, by rule after a failure, with its node, or for another configuration: always under a new instance.
   */
  start: { from: ['offline', 'starting', 'online', 'stopping', 'failed'], to: 'starting' },
  /** By its agent, after a failure of which Muster had not heard: the same instance. */
  'started again': { from: ['failed'], to: 'starting' },
  online: { from: ['starting'], to: 'online' },
  stopping: { from: ['starting', 'online'], to: 'stopping' },
  stopped: { from: ['starting', 'online', 'stopping', 'failed'], to: 'offline' },
  failed: { from: ['starting', 'online', 'stopping'], to: 'failed' },
} as const satisfies Record<string, { readonly from: readonly ServiceStateName[]; readonly to: ServiceStateName }>;
export type ServiceMove = keyof typeof serviceMoves;

/** A resource that a service holds, with others or alone. */
export const Held = z.strictObject({ kind: ResourceKind, id: z.string().min(1).max(200), hold: z.enum(['shared', 'exclusive']) });
export type Held = z.infer<typeof Held>;

/** The number of the last word about a resource, whether it said that it is held or let go. */
export const ResourceSaid = Held.pick({ kind: true, id: true }).extend({ seq: z.int().nonnegative() });
export type ResourceSaid = z.infer<typeof ResourceSaid>;

/** What an agent is asked of an instance, until when the answer is of use, and, once it has come, what it was. */
export const Ask = z.strictObject({
  id: z.string().min(1).max(100),
  what: z.enum(['check', 'status', 'message']),
  /** Of a message: which, and what it carries, as text. */
  message: ServiceTypeName.optional(),
  data: z.string().optional(),
  until: EpochMs,
});
export type Ask = z.infer<typeof Ask>;

/**
 * What came of a check, a status or a message: the exit code as OCF defines it, 0 for well, and what was printed, cut
 * to 2,000 characters.
 */
export const AskResult = z.strictObject({
  ask: z.string().optional(),
  what: z.enum(['check', 'status', 'message']),
  message: ServiceTypeName.optional(),
  exit: z.int().min(0).max(255).optional(),
  /** It took longer than it may. */
  late: z.literal(true).optional(),
  says: z.string().max(2_000),
  at: EpochMs,
});
export type AskResult = z.infer<typeof AskResult>;

/**
 * How many questions wait for an agent at the most, how much they carry together, in bytes, and how many answers are
 * kept of an instance: as many, so that each is seen by whoever asked. A row takes 400 KB, of which a configuration has
 * 64 at the most, and an answer 6.
 */
export const asksMax = 16;
export const asksBytesMax = 65_536;
export const resultsMax = asksMax;

/**
 * The service of a type on a node: one instance after another runs it. The row is there while the service is
 * registered: from its start until it was stopped, also while its node is down, so that it runs again once that is
 * back.
 */
export const Service = z.strictObject({
  type: ServiceTypeName,
  name: ServiceName,
  node: NodeId,
  host: Fqdn,
  zone: ZoneName,
  /** When it was registered, and how often it was started since: together they name the instance. */
  registered: EpochMs,
  start: z.int().positive(),
  /** What it runs with, as JSON text. */
  configuration: z.string(),
  /**
   * What it has said since that it runs with instead, as JSON text, and since when: absent while it runs as it was
   * ordered.
   */
  drift: z.strictObject({ configuration: z.string(), since: EpochMs }).optional(),
  /**
   * What is ordered is what this instance has said that it runs with: its agent may start it again as it was ordered
   * before that.
   */
  accepted: z.literal(true).optional(),
  state: ServiceState,
  since: EpochMs,
  /** An operator stops it: it is not started again, and it is forgotten once it has ended. */
  stopping: z.literal(true).optional(),
  running: z.strictObject({ pid: z.int().positive(), born: z.string().max(64).optional() }).optional(),
  /** Where it can be reached, and which version of it runs, as far as it says so. */
  address: z.string().max(300).optional(),
  version: z.string().max(100).optional(),
  resources: z.array(Held).max(64),
  /** What it holds is what the instance before held, whose end is not known yet. */
  heldBefore: z.literal(true).optional(),
  /**
   * The node and boot whose word was last heard of it, and the number of that word; what is older is ignored. Of
   * resources it is the last word about each that counts: `said` has their numbers, and `saidTo` the highest that it
   * keeps no more.
   */
  heard: z
    .strictObject({
      node: NodeId,
      incarnation: z.int().positive(),
      seq: z.int().nonnegative(),
      said: z.array(ResourceSaid).max(64).optional(),
      saidTo: z.int().nonnegative().optional(),
      /** The number of the last word about its configuration. */
      configured: z.int().nonnegative().optional(),
    })
    .optional(),
  word: z.strictObject({ at: EpochMs, report: reportId }).optional(),
  attempts: z.int().nonnegative().optional(),
  /**
   * How often it was started again because it had changed its configuration itself, since an operator ordered anything
   * of it.
   */
  restored: z.int().nonnegative().optional(),
  retryAt: EpochMs.optional(),
  /** What its agent is asked, and the last answers, the newest last. */
  asks: z.array(Ask).max(asksMax),
  results: z.array(AskResult).max(resultsMax),
  /** Its health by the last check: absent until there was one. */
  healthy: z.boolean().optional(),
  /** How long it may take to start, to stop and to answer, in ms, by its type when it was started. */
  limits: z.strictObject({ startMs: z.int().positive(), stopMs: z.int().positive(), askMs: z.int().positive() }),
});
export type Service = z.infer<typeof Service>;

/** The id of a service's row: one of a type on a node. */
export const serviceId = ({ node, type }: { readonly node: string; readonly type: string }): string => `${node}/${type}`;
/** The instance that runs a service, or ran it last: a new one with each start. */
export const instanceOf = ({ registered, start }: Pick<Service, 'registered' | 'start'>): InstanceId =>
  InstanceId.parse(`${registered.toString(36)}.${start}`);

/** Who has a service name on a node; made with the service that has it, and gone with it. */
export const NameHolder = z.strictObject({ type: ServiceTypeName });
export type NameHolder = z.infer<typeof NameHolder>;

/** How many services hold a resource together at the most: a row takes no more. */
export const holdersMax = 1_000;

/** Who holds a resource of a zone. With `exclusive` it is one alone. */
export const ResourceHolders = z.strictObject({
  kind: ResourceKind,
  id: z.string(),
  exclusive: z.boolean(),
  holders: z
    .array(z.strictObject({ node: NodeId, type: ServiceTypeName }))
    .min(1)
    .max(holdersMax),
});
export type ResourceHolders = z.infer<typeof ResourceHolders>;

/**
 * The row of a service, of who has a service name on a node, of who holds a resource of a zone, and of the types that
 * operators have put into one.
 */
export const serviceRef = refOf('service', Service, serviceId);

export const nameRef = refOf('service-name', NameHolder, ({ node, name }: Pick<Service, 'node' | 'name'>) => `${node}/${name}`);

export const resourceRef = refOf(
  'service-resource',
  ResourceHolders,
  (zone: string, { kind, id }: Pick<Held, 'kind' | 'id'>) => `${zone}/${kind}:${id}`,
);

/**
 * How much longer than a service may take an answer is waited for, in ms: the question and the answer are on their way.
 */
export const askedForMs = 30_000;

import * as z from 'zod';
import { reportId } from '../../events/define.ts';
import { Fqdn, InstanceId, NodeId, ServiceName, ServiceTypeName, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { EpochMs } from '../core/time.ts';
import { ResourceKind } from './rows/service-type.ts';

/** The service type whose instances watch other services. */
export const supervisorType = ServiceTypeName.parse('supervisor');

/** The state of an instance, as its row has it. *Inhibited* is not among the states: it is computed from the node. */
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
 * Every move of a service: the states that it starts from, and the state that it leads to. Any other move is refused
 * with a reason. The diagram in docs/ and the property tests are read from this table.
 */
export const serviceMoves = {
  /**
   * By an operator, by rule after a failure, with its node, or for another configuration: always under a new instance.
   */
  start: { from: ['offline', 'starting', 'online', 'stopping', 'failed'], to: 'starting' },
  /** By its agent, after a failure that Muster had not heard of: the same instance. */
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

/** The number of the last report about a resource, whether it was acquired or released. */
export const ReportedResource = Held.pick({ kind: true, id: true }).extend({ seq: z.int().nonnegative() });
export type ReportedResource = z.infer<typeof ReportedResource>;

/** A question to an agent about an instance, and until when the answer is of use. */
export const Ask = z.strictObject({
  id: z.string().min(1).max(100),
  what: z.enum(['check', 'status', 'message']),
  /** Of a message: its name, and its data, as text. */
  message: ServiceTypeName.optional(),
  data: z.string().optional(),
  until: EpochMs,
});
export type Ask = z.infer<typeof Ask>;

/**
 * The result of a check, a status request or a message: the exit code as OCF defines it, 0 for well, and the output,
 * cut to 2,000 characters.
 */
export const AskResult = z.strictObject({
  ask: z.string().optional(),
  what: z.enum(['check', 'status', 'message']),
  message: ServiceTypeName.optional(),
  exit: z.int().min(0).max(255).optional(),
  /** It exceeded its time limit. */
  late: z.literal(true).optional(),
  says: z.string().max(2_000),
  at: EpochMs,
});
export type AskResult = z.infer<typeof AskResult>;

/** A process on a host: its pid, and when it began. */
const Process = z.strictObject({ pid: z.int().positive(), born: z.string().max(64).optional() });

/**
 * Whether these are the same process, as far as it is known: an older agent does not report when a process began.
 */
export const isSameProcess = (a: Partial<z.infer<typeof Process>> | undefined, b: z.infer<typeof Process>): boolean =>
  a?.pid === b.pid && (a.born ?? b.born) === (b.born ?? a.born);

/**
 * The maximum number of questions that wait for an agent, and the maximum size of their data together, in bytes. As
 * many answers are stored of an instance, so that each caller sees its answer. A row takes 400 KB, of which a
 * configuration has 64 at the most, and an answer 6.
 */
export const asksMax = 16;
export const asksBytesMax = 65_536;
export const resultsMax = asksMax;

/**
 * The service of a type on a node: one instance after another runs it. The row exists while the service is registered:
 * from its start until it was stopped, also while its node is down, so that it runs again once the node is back.
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
  /** The ordered configuration, as JSON text. */
  configuration: z.string(),
  /**
   * The other configuration that it has reported since, as JSON text, and since when it runs with that. Absent while it
   * runs as ordered.
   */
  drift: z.strictObject({ configuration: z.string(), since: EpochMs }).optional(),
  /**
   * The ordered configuration is the one that this instance reported. Its agent may restart it with the order before
   * that.
   */
  accepted: z.literal(true).optional(),
  /**
   * The process that reported the accepted configuration or the drift, if another one is on record: the next table of
   * the node tells which of them runs.
   */
  configuredBy: Process.optional(),
  state: ServiceState,
  since: EpochMs,
  /** An operator is stopping it: it is not restarted, and its row is removed once it has ended. */
  stopping: z.literal(true).optional(),
  running: Process.optional(),
  /** The address where it can be reached, and its version, as far as it reports them. */
  address: z.string().max(300).optional(),
  version: z.string().max(100).optional(),
  resources: z.array(Held).max(64),
  /** Its resources are those of the previous instance, whose end is not known yet. */
  heldBefore: z.literal(true).optional(),
  /**
   * The node and boot of the last report about it, and the number of that report; older reports are ignored. Of each
   * resource the last report about that resource counts: `said` has these numbers, and `saidTo` the highest number that
   * `said` no longer has.
   */
  heard: z
    .strictObject({
      node: NodeId,
      incarnation: z.int().positive(),
      seq: z.int().nonnegative(),
      said: z.array(ReportedResource).max(64).optional(),
      saidTo: z.int().nonnegative().optional(),
      /** The number of the last report about its configuration. */
      configured: z.int().nonnegative().optional(),
      /** The number of the last report by which the process on record runs. */
      named: z.int().nonnegative().optional(),
    })
    .optional(),
  word: z.strictObject({ at: EpochMs, report: reportId }).optional(),
  attempts: z.int().nonnegative().optional(),
  /**
   * How often it was restarted because it had changed its configuration itself, since the last order of an operator.
   */
  restored: z.int().nonnegative().optional(),
  retryAt: EpochMs.optional(),
  /** The questions to its agent, and the last answers, the newest last. */
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

/** The service that has a service name on a node. The row is created and removed with the row of that service. */
export const NameHolder = z.strictObject({ type: ServiceTypeName });
export type NameHolder = z.infer<typeof NameHolder>;

/** The maximum number of services that hold a resource together: a row has no room for more. */
export const holdersMax = 1_000;

/** The holders of a resource of a zone. With `exclusive` there is exactly one. */
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

/** The row of a service, of the holder of a service name on a node, and of the holders of a resource of a zone. */
export const serviceRef = refOf('service', Service, serviceId);

export const nameRef = refOf('service-name', NameHolder, ({ node, name }: Pick<Service, 'node' | 'name'>) => `${node}/${name}`);

export const resourceRef = refOf(
  'service-resource',
  ResourceHolders,
  (zone: string, { kind, id }: Pick<Held, 'kind' | 'id'>) => `${zone}/${kind}:${id}`,
);

/**
 * How much longer than the time limit of a service Muster waits for its answer, in ms: the question and the answer are
 * on their way.
 */
export const askedForMs = 30_000;

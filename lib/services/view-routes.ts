import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { Fqdn, InstanceId, NodeId, ServiceName, ServiceTypeName, ZoneName } from '../core/ids.ts';
import { RelationName } from './rows/service-type.ts';
import { Held } from './service.ts';

const question = z.strictObject({ what: z.enum(['check', 'status', 'message']), message: ServiceTypeName.optional() });

/** The result of a check, a status request or a message: the exit code as OCF defines it, and the output. */
export const ServiceResultView = question.extend({
  /** The question that it answers; absent for a periodic check. */
  ask: z.string().optional(),
  exit: z.int().optional(),
  late: z.literal(true).optional(),
  says: z.string(),
  at: Moment,
});

export type ServiceResultView = z.infer<typeof ServiceResultView>;

/** The state of a service as it is displayed: it takes the loss of its node into account. */
export const ServiceStateName = z.enum(['starting', 'online', 'stopping', 'offline', 'failed', 'inhibited']);

/** A service on a node as the API and the CLI display it. */
export const ServiceView = z.strictObject({
  type: ServiceTypeName,
  name: ServiceName,
  node: NodeId,
  host: Fqdn,
  zone: ZoneName,
  instance: InstanceId,
  state: ServiceStateName,
  /** Why it has failed, or its state before its node was lost. */
  reason: z.string().optional(),
  previous: ServiceStateName.optional(),
  since: Moment,
  registered: Moment,
  configuration: z.json(),
  /**
   * The other configuration that it reports, since when, and where that differs from the ordered one, as JSON pointers.
   */
  drift: z.strictObject({ configuration: z.json(), since: Moment, differs: z.array(z.string()) }).optional(),
  pid: z.int().positive().optional(),
  address: z.string().optional(),
  version: z.string().optional(),
  resources: z.array(Held),
  /**
   * The services that it needs, as its configuration names them; a service without a state is not registered. Absent
   * where it names none.
   */
  relations: z
    .array(
      z.strictObject({ name: RelationName, to: ServiceTypeName, host: Fqdn, node: NodeId.optional(), state: ServiceStateName.optional() }),
    )
    .optional(),
  /** An operator is stopping it. */
  stopping: z.literal(true).optional(),
  /** How often the rule has restarted it, and when the next restart is due. */
  attempts: z.int().optional(),
  retryAt: Moment.optional(),
  healthy: z.boolean().optional(),
  /** The questions to it, and the last answers, the newest last. */
  asks: z.array(question.extend({ id: z.string(), until: Moment })),
  results: z.array(ServiceResultView),
  /** The node whose supervisor watches it, and since when that supervisor misses it. */
  supervisor: z.strictObject({ node: NodeId, host: Fqdn, missedSince: Moment.optional() }).optional(),
});

export type ServiceView = z.infer<typeof ServiceView>;

/** A service as a search by name returns it. */
export const FoundService = z.strictObject({
  name: ServiceName,
  type: ServiceTypeName,
  node: NodeId,
  host: Fqdn,
  instance: InstanceId,
  state: ServiceStateName,
  address: z.string().optional(),
});

export type FoundService = z.infer<typeof FoundService>;

/**
 * The answer of Muster to a service: yes or no and why, the holders of a resource, or the other services of its service
 * name.
 */
export const QuestionAnswer = z.union([
  z.strictObject({ yes: z.boolean(), because: z.string() }),
  z.strictObject({ holders: z.array(z.strictObject({ type: ServiceTypeName, node: NodeId, host: Fqdn })), exclusive: z.boolean() }),
  z.strictObject({ peers: z.array(FoundService) }),
]);

export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

/** A node by its id or fully qualified name. */
const node = z.string().min(1).max(253);

/** The views of services for people and programs. */
export const adminServiceViewRoutes = {
  listServices: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/services',
    summary:
      'The services of a zone in the order of name, type and node, or those of a node in the order of type. A page may be shorter where a filter leaves some out',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName }),
    query: z.strictObject({
      ...paged,
      type: ServiceTypeName.optional(),
      name: ServiceName.optional(),
      node: node.optional(),
      state: ServiceStateName.optional(),
    }),
    reply: listOf(ServiceView),
    statuses: [200],
    errors: ['bad-cursor', 'unknown-zone', 'unknown-node'],
  }),
  getService: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/services/{type}/{node}',
    summary: 'The service of a type on a node: its state, configuration, resources, questions and answers',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName, type: ServiceTypeName, node }),
    reply: ServiceView,
    statuses: [200],
    errors: ['unknown-zone', 'unknown-node', 'unknown-service'],
  }),
} as const;

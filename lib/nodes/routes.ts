import * as z from 'zod';
import { Incarnation, reportId, Seq } from '../../events/define.ts';
import { Hears } from '../../events/reported/hears.ts';
import { Bearing, Boot, Digest, HostFacts, Load } from '../../events/reported/node.ts';
import {
  NodeTable,
  ProcessFailed,
  ProcessStarted,
  ProcessStarting,
  ProcessStopped,
  ProcessStopping,
  ProcessTable,
} from '../../events/reported/process.ts';
import {
  ServiceAcquired,
  ServiceAnswered,
  ServiceConfigured,
  ServiceFailed,
  ServiceReleased,
  ServiceStarted,
  ServiceStarting,
  ServiceStopped,
  ServiceStopping,
} from '../../events/reported/service.ts';
import { SupervisorMissed } from '../../events/reported/supervisor.ts';
import { route } from '../api/route.ts';
import { signatureProblems } from '../api/signature-problems.ts';
import { Fingerprint, Fqdn, NodeId, PublicKey, WatchAddress, ZoneName } from '../core/ids.ts';
import { EpochMs } from '../core/time.ts';
import { NodeKind } from './node.ts';

const id = z.strictObject({ id: NodeId });
/** A field of every answer to an agent: in how many ms to call next. */
const next = { nextMs: z.int().positive() };

/** A report of an agent, besides node-up and heartbeats; `at` is its own clock, stored as data and never trusted. */
const agentReport = <T extends string, D extends z.ZodType>(type: T, data: D) =>
  z.strictObject({
    id: reportId,
    type: z.literal(type),
    version: z.literal(1),
    incarnation: Incarnation,
    seq: Seq.optional(),
    /** The node that it is about: a node reports only on itself. */
    node: NodeId.optional(),
    at: z.int().optional(),
    data,
  });
/** Its reports of processes and services are numbered together, from 1 in each of its boots. */
const counted = <T extends string, D extends z.ZodType>({
  shape,
}: {
  readonly shape: { readonly type: z.ZodLiteral<T>; readonly data: D };
}) => agentReport(shape.type.value, shape.data).extend({ seq: Seq });
export const AgentEvent = z.discriminatedUnion('type', [
  agentReport('node.ready', z.strictObject({})),
  agentReport('node.released', z.strictObject({ mapVersion: z.int().nonnegative() })),
  counted(NodeTable),
  counted(ProcessStarting),
  counted(ProcessStarted),
  counted(ProcessStopping),
  counted(ProcessStopped),
  counted(ProcessFailed),
  counted(ServiceStarting),
  counted(ServiceStarted),
  counted(ServiceStopping),
  counted(ServiceStopped),
  counted(ServiceFailed),
  counted(ServiceAcquired),
  counted(ServiceReleased),
  counted(ServiceConfigured),
  counted(ServiceAnswered),
  counted(SupervisorMissed),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;

/** The life of a node, as its agent reports it. */
export const memberRoutes = {
  join: route({
    method: 'POST',
    path: '/nodes/join',
    summary:
      'Join as a node, by a token, an admission rule or an administrator; 202: the host waits in the pool. A key that joins again is the same node',
    scope: 'node',
    body: z.strictObject({
      token: z.string().max(200).optional(),
      publicKey: PublicKey,
      fqdn: Fqdn,
      kind: NodeKind,
      zone: ZoneName.optional(),
      watch: WatchAddress.refine((text) => !/:0+$/.test(text), 'a port is 1 to 65535').optional(),
      capacity: z.int().positive().optional(),
    }),
    reply: z.union([
      z.strictObject({ node: NodeId, zone: ZoneName, ...next }),
      z.strictObject({ pooled: z.literal(true), fingerprint: z.string(), ...next }),
    ]),
    statuses: [201, 202],
    errors: [
      ...signatureProblems,
      'weak-key',
      'unsupported-key',
      'fingerprint-mismatch',
      'nonce-reused',
      'join-denied',
      'watch-not-own',
      'fqdn-in-use',
      'key-in-use',
      'unknown-zone',
      'refused',
      'removed',
      'onboarding-rate',
    ],
  }),
  up: route({
    method: 'POST',
    path: '/nodes/{id}/up',
    summary: 'Report that the agent has started; repeat until 200, which acknowledges this boot',
    scope: 'node',
    params: id,
    body: z.strictObject({
      id: reportId,
      boot: Boot,
      facts: HostFacts,
      flushed: z.int().nonnegative().optional(),
      /** What runs on a host of a storage cluster. */
      table: ProcessTable.optional(),
    }),
    reply: z.union([
      z.strictObject({ acknowledged: z.literal(true), incarnation: z.int(), generation: z.int(), ...next }),
      /** `waits`: it was given up, and waits for an administrator to readmit it. */
      z.strictObject({ acknowledged: z.literal(false), waits: z.literal('readmission').optional(), ...next }),
    ]),
    statuses: [202, 200],
    // The version before this one answers `quarantined` for a clone, and both versions answer during a rollout.
    errors: [...signatureProblems, 'nonce-reused', 'unknown-node', 'must-rejoin', 'removed', 'vouched-for', 'key-cloned', 'quarantined'],
  }),
  heartbeat: route({
    method: 'POST',
    path: '/nodes/{id}/heartbeat',
    summary: 'A sign of life with load; every sixth time with the digest of the client systems it sees',
    scope: 'node',
    params: id,
    body: z.strictObject({
      id: reportId,
      incarnation: Incarnation,
      seq: Seq,
      load: Load,
      tableHash: z.string().max(64).optional(),
      digest: Digest.optional(),
      /** Of a station: the nodes of its zone that it hears on the site's network. */
      hears: Hears.optional(),
      /** How the node bears the client systems that it accepts; only if the last answer asked for it. */
      bearing: Bearing.optional(),
    }),
    reply: z.strictObject({
      ...next,
      desired: z.int().nonnegative(),
      resync: z.boolean(),
      listStale: z.boolean(),
      mapVersion: z.int().nonnegative(),
      /** Changes when places of the zone's client systems are revoked; absent where none ever was. */
      revoked: z.int().positive().optional(),
      /** Its present membership: another one once it has taken another node's place. */
      generation: z.int().nonnegative().optional(),
      /**
       * Of a station: for how long from this call it may act on site if it coordinates, the highest epoch of its zone,
       * and whether that epoch is its own.
       */
      station: z.strictObject({ leaseMs: z.int().nonnegative(), epoch: z.int().nonnegative(), coordinates: z.boolean() }).optional(),
      /** Its rate may follow what it bears: the next heartbeats should report that, if the node measures it. */
      bearing: z.literal(true).optional(),
    }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'send-node-up', 'must-rejoin', 'vouched-for', 'quarantined', 'removed'],
  }),
  events: route({
    method: 'POST',
    path: '/nodes/{id}/events',
    summary: 'Report what happened, up to 100 at once',
    scope: 'node',
    params: id,
    body: z.array(AgentEvent).min(1).max(100),
    reply: z.strictObject({ accepted: z.int() }),
    statuses: [202],
    errors: [...signatureProblems, 'unknown-node', 'not-owner', 'send-node-up', 'must-rejoin', 'removed', 'unknown-type'],
  }),
  leaving: route({
    method: 'POST',
    path: '/nodes/{id}/leaving',
    summary: 'Report that the node leaves on purpose',
    scope: 'node',
    params: id,
    body: z.strictObject({
      id: reportId,
      incarnation: Incarnation,
      mode: z.enum(['drain', 'hold']),
      untilMs: EpochMs.optional(),
    }),
    reply: z.strictObject({ accepted: z.int() }),
    statuses: [202],
    errors: [...signatureProblems, 'nonce-reused', 'unknown-node', 'send-node-up', 'must-rejoin', 'removed'],
  }),
  rotate: route({
    method: 'POST',
    path: '/nodes/{id}/rotate',
    summary: 'Name the next key of the node; the first call signed with it makes it the key',
    scope: 'node',
    params: id,
    body: z.strictObject({
      publicKey: PublicKey,
      /** The new key's signature over `muster-rotate:<deployment>:<node>:<fingerprint>:<new fingerprint>`. */
      proof: z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'an Ed25519 signature is 64 bytes in base64url'),
    }),
    reply: z.strictObject({ fingerprint: Fingerprint }),
    statuses: [202],
    errors: [
      ...signatureProblems,
      'unknown-node',
      'removed',
      'quarantined',
      'proof-invalid',
      'weak-key',
      'unsupported-key',
      'key-in-use',
      'nonce-reused',
    ],
  }),
} as const;

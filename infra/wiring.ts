import type { ReportType } from '../events/catalogue.ts';
import { processReports, serviceReports } from './reported.ts';
import { type Lead, writes } from './writes.ts';

/**
 * The operations of a function on the table, in the port's verbs; the stacks turn each into the exact actions that it
 * needs.
 */
export type TableVerb = 'read' | 'readMany' | 'query' | 'queryIndex' | 'due' | 'commit';

/**
 * A queue: the report types that it carries, how long it retains a message (longer than all its receives take), how
 * often it delivers one, and how many at once.
 */
export type QueueWiring = {
  readonly carries: readonly ReportType[];
  /** Report types that a rule of the ingest bus hands to this queue. */
  readonly fromBus?: readonly ReportType[];
  /**
   * Report types that a rule of the ingest bus hands to this queue for each sender that a deployment lets vouch for
   * nodes; none unless it names one.
   */
  readonly fromVouchers?: readonly ReportType[];
  /** A rule of the bus that conclusions leave on hands every one of them to this queue. */
  readonly hears?: true;
  readonly retentionSeconds: number;
  /** On its last receive a message becomes a `dead#` row; the queue's own dead letters are the net for crashes only. */
  readonly receivesMax: number;
  readonly batchMax: number;
};

/** A function, by the name of its file in functions/: what starts it and exactly what it may use. */
export type FunctionWiring<Q extends string> = {
  readonly routes?: readonly `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'ANY'} /${string}`[];
  readonly queue?: Q;
  readonly feed?: 'emitting';
  /**
   * How often it runs. On AWS a rule starts it, every minute if it runs more often: it then sends itself the rest as
   * delayed messages, by its queue.
   */
  readonly everySeconds?: { readonly aws: number; readonly embedded: number };
  readonly timeoutSeconds: number;
  readonly memoryMib: number;
  readonly table: readonly TableVerb[];
  /** The prefixes of the partition keys that it may write; every function that commits has some. */
  readonly writes?: readonly Lead[];
  /** Queries the inverse index as well as the list index. */
  readonly inverse?: true;
  readonly sends?: readonly Q[];
  /** Reads how deep these queues are. */
  readonly looksInto?: readonly Q[];
  readonly publishes?: true;
  readonly signs?: true;
  /** Seals the audit, or verifies its seals. */
  readonly audits?: true;
  /** Takes tokens of administrators from the OpenID Connect issuer. */
  readonly issuer?: true;
  /** Replaces the keys that sign. */
  readonly rotates?: true;
  /** Calls outside targets that operators configured. */
  readonly calls?: true;
  /** Checks input by schemas that operators wrote. */
  readonly checks?: true;
  /**
   * Reads what is stored in the bucket, such as the index of searches; stores in it as well; or keeps it, and lists and
   * removes what is there.
   */
  readonly objects?: 'reads' | 'stores' | 'keeps';
  /** Serves the files of the page. */
  readonly pages?: true;
  /** The most that run at once, where more would only contend. */
  readonly concurrencyMax?: number;
};

/**
 * One route of a function, answered by the same code at an address of its own (a function URL) where a deployment asks
 * for it. Nothing that costs money by the call is in front of it, and it answers no other route.
 */
export type DirectWiring<Q extends string> = Omit<FunctionWiring<Q>, 'routes' | 'queue' | 'feed' | 'everySeconds' | 'concurrencyMax'> & {
  /** The function that answers it through the API, and whose answers name the address. */
  readonly of: string;
  readonly route: `${'GET' | 'POST'} /${string}`;
  /**
   * The most that run at once, and a tenth of the calls a second: Lambda lets ten times that through
   * (https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html). Reserved, because nothing else limits
   * callers. Calls beyond it go through the API.
   */
  readonly atOnce: number;
};

/** The whole topology. */
export type Wiring<Q extends string = string> = {
  readonly queues: Readonly<Record<Q, QueueWiring>>;
  readonly functions: Readonly<Record<string, FunctionWiring<NoInfer<Q>>>>;
  readonly direct: Readonly<Record<string, DirectWiring<NoInfer<Q>>>>;
};

const wire = <const Q extends string>(wiring: Wiring<Q>): Wiring<Q> => wiring;

/**
 * Which file runs when. The CDK stacks, the embedded host, the simulation and the documentation read it; a function
 * that is not here runs nowhere.
 */
export const wiring = wire({
  queues: {
    // Two minutes: a heartbeat older than its lease (38 s) is worthless, so a backlog should age out, not pile up. Two
    // receives fit, at 0 and 60 s: a failed receive hides a message for six times the consumer's 10 s. Those 10 s are
    // enough for a read and a commit with all their attempts (3 × 1.5 s each).
    heartbeats: { carries: ['node.heartbeat'], fromVouchers: ['node.heartbeat'], retentionSeconds: 120, receivesMax: 2, batchMax: 10 },
    reports: {
      carries: [
        'node.up',
        'node.ready',
        'node.leaving',
        'node.released',
        'node.table',
        ...processReports,
        ...serviceReports,
        'service.configured',
        'supervisor.missed',
      ],
      fromBus: ['node.leaving', ...processReports, ...serviceReports],
      fromVouchers: ['node.up', 'node.ready'],
      retentionSeconds: 4 * 86_400,
      receivesMax: 5,
      batchMax: 10,
    },
    // The sweep's own delayed messages: each minute's rule sends new ones. Ten minutes outlast a failed receive, which
    // hides a message for three (six times 30 s). A message that crashes twice so becomes a dead letter instead of
    // ageing out unseen.
    sweeps: { carries: [], retentionSeconds: 600, receivesMax: 2, batchMax: 1 },
    // Events that may be delivered, and attempts at their delivery: each waits 15 minutes at the most, and is then sent
    // on.
    webhooks: { carries: [], hears: true, retentionSeconds: 4 * 86_400, receivesMax: 5, batchMax: 10 },
  },
  functions: {
    'node-door': {
      routes: [
        'POST /nodes/join',
        'POST /nodes/{id}/up',
        'POST /nodes/{id}/heartbeat',
        'POST /nodes/{id}/events',
        'POST /nodes/{id}/leaving',
        'POST /nodes/{id}/rotate',
        'GET /nodes/{id}/desired',
        'GET /nodes/{id}/processes/{fid}/configuration',
        'GET /nodes/{id}/services',
        'POST /nodes/{id}/services/{type}/questions',
        'GET /nodes/{id}/systems',
        'GET /nodes/{id}/systems/{fp}',
        'POST /nodes/{id}/systems/questions',
        'GET /nodes/{id}/revoked',
        'GET /nodes/{id}/systems/{fp}/metadata',
        'PUT /nodes/{id}/systems/{fp}/metadata/{kind}',
        'POST /nodes/{id}/systems/{fp}/metadata/{kind}',
        'POST /nodes/{id}/changes',
        'POST /nodes/{id}/adoption',
        'POST /nodes/{id}/actions/{number}/take',
        'GET /nodes/{id}/actions/{number}/systems',
        'POST /nodes/{id}/actions/{number}',
        'POST /nodes/{id}/tickets',
        'POST /nodes/{id}/tickets/{ticket}/entry',
        'GET /nodes/{id}/content/blobs/{blob}',
        'PUT /nodes/{id}/content/blobs/{blob}',
        'POST /nodes/{id}/content',
      ],
      timeoutSeconds: 10,
      memoryMib: 512,
      table: ['read', 'readMany', 'query', 'queryIndex', 'commit'],
      writes: writes['node-door'],
      // The metadata revisions of a node's client systems.
      inverse: true,
      sends: ['heartbeats', 'reports'],
      // The questions of services.
      checks: true,
      // The documents of common content.
      objects: 'stores',
    },
    knock: {
      routes: ['POST /system/knock', 'GET /system/status', 'GET /system/orphan'],
      timeoutSeconds: 5,
      memoryMib: 512,
      table: ['read', 'readMany', 'query', 'commit'],
      writes: writes.knock,
      signs: true,
    },
    admin: {
      routes: ['ANY /api/v1/{proxy+}', 'ANY /session', 'ANY /session/{proxy+}'],
      timeoutSeconds: 20,
      memoryMib: 512,
      // due: how many rows are due, for debugging.
      table: ['read', 'readMany', 'query', 'queryIndex', 'due', 'commit'],
      writes: writes.admin,
      // The client systems pinned to a node, before it is removed.
      inverse: true,
      // Dead letters are given back: messages to their queues, unpublished events to the bus. Deliveries are replayed.
      sends: ['heartbeats', 'reports', 'webhooks'],
      looksInto: ['heartbeats', 'reports', 'sweeps', 'webhooks'],
      publishes: true,
      signs: true,
      audits: true,
      issuer: true,
      rotates: true,
      // A webhook is tested while its creator waits: 10 s at the most.
      calls: true,
      // Service types, and messages to services.
      checks: true,
      // Orders by a query, counts, and the documents of common content.
      objects: 'reads',
    },
    // Apart from admin, so that it has a whole core, and memory for a few million client systems; and so that it can
    // change none of them. Of rows it writes what every call of the API may: the use of a key, an attempt.
    search: {
      routes: ['GET /api/v1/systems/find'],
      timeoutSeconds: 20,
      memoryMib: 1_769,
      table: ['read', 'readMany', 'query', 'queryIndex', 'commit'],
      writes: writes.search,
      signs: true,
      issuer: true,
      objects: 'reads',
    },
    // Where no index is stored yet it reads every row, which takes some minutes for a million client systems. Its time
    // ends before its next start, so that no two run.
    'store-index': {
      everySeconds: { aws: 600, embedded: 60 },
      timeoutSeconds: 590,
      memoryMib: 1_769,
      table: ['read', 'readMany', 'query', 'queryIndex'],
      objects: 'keeps',
    },
    // It knows nothing of the deployment: no row, no key, no queue.
    page: {
      routes: ['GET /', 'GET /sign-in', 'GET /ui', 'GET /ui/{proxy+}'],
      timeoutSeconds: 5,
      memoryMib: 256,
      table: [],
      pages: true,
    },
    heartbeats: {
      queue: 'heartbeats',
      timeoutSeconds: 10,
      memoryMib: 256,
      // readMany, queryIndex: the client systems that a digest no longer shows, and the list that it is over.
      table: ['read', 'readMany', 'queryIndex', 'commit'],
      writes: writes.heartbeats,
      concurrencyMax: 20,
    },
    // readMany: a node that returns flushed is decided together with its name.
    reports: {
      queue: 'reports',
      timeoutSeconds: 20,
      memoryMib: 256,
      table: ['read', 'readMany', 'query', 'commit'],
      writes: writes.reports,
      // The configuration that a service reports, where its type accepts that.
      checks: true,
      concurrencyMax: 20,
    },
    sweep: {
      queue: 'sweeps',
      everySeconds: { aws: 5, embedded: 1 },
      timeoutSeconds: 30,
      memoryMib: 512,
      table: ['read', 'readMany', 'query', 'queryIndex', 'due', 'commit'],
      writes: writes.sweep,
      sends: ['sweeps'],
      concurrencyMax: 2,
    },
    // readMany: the entries that the audit has already; query: where the zone's chain of the last day ended.
    publish: {
      feed: 'emitting',
      timeoutSeconds: 30,
      memoryMib: 256,
      table: ['read', 'readMany', 'query', 'commit'],
      writes: writes.publish,
      publishes: true,
      audits: true,
    },
    // Ten messages are processed together, each for 10 s at the most where a target hangs; the rest of the time is for
    // the table.
    webhooks: {
      queue: 'webhooks',
      timeoutSeconds: 20,
      memoryMib: 256,
      table: ['read', 'commit'],
      writes: writes.webhooks,
      sends: ['webhooks'],
      calls: true,
      concurrencyMax: 10,
    },
  },
  direct: {
    // All nodes together send 50 heartbeats a second at the most (lib/core/lease.ts), a quarter of the limit.
    'heartbeat-door': {
      of: 'node-door',
      route: 'POST /nodes/{id}/heartbeat',
      timeoutSeconds: 10,
      memoryMib: 256,
      table: ['read', 'readMany', 'query', 'queryIndex', 'commit'],
      writes: writes['heartbeat-door'],
      sends: ['heartbeats'],
      atOnce: 20,
    },
    // A million client systems ask 46 times a second, a tenth of the limit.
    'status-door': {
      of: 'knock',
      route: 'GET /system/status',
      timeoutSeconds: 5,
      memoryMib: 256,
      table: ['read', 'readMany', 'query', 'commit'],
      writes: writes['status-door'],
      signs: true,
      atOnce: 50,
    },
  },
});

export type WiredQueue = keyof typeof wiring.queues;

import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';

/**
 * The kinds of subjects of `explain` and `history`, as events name them. A client system is a `system` too. A process
 * is of the zone that is given with it, a service is `TYPE@NODE`. A storage cluster, the stations of a zone and the
 * orders on its site have the zone's name.
 */
export const subjects = z.enum([
  'node',
  'system',
  'client',
  'zone',
  'process',
  'service',
  'cluster',
  'stations',
  'site-orders',
  'seat',
  'content',
]);

/** Why something is as it is: its last decision, what it waits for, and the decisions of its zone that bear on it. */
export const Explanation = z.strictObject({
  subject: z.string(),
  state: z.string(),
  because: z.string(),
  since: Moment,
  by: z.string(),
  /** To whom the last decision is attributed, if to anybody. */
  who: z.string().optional(),
  looksAgainAt: Moment.optional(),
  also: z.array(z.strictObject({ subject: z.string(), because: z.string(), at: Moment.optional() })),
});

export type Explanation = z.infer<typeof Explanation>;

/** One published event of a thing. */
export const HistoryView = z.strictObject({
  seq: z.int(),
  type: z.string(),
  version: z.int(),
  at: Moment,
  because: z.string(),
  by: z.string(),
  /** To whom it is attributed, if to anybody. */
  who: z.string().optional(),
  data: z.record(z.string(), z.json()),
});

export type HistoryView = z.infer<typeof HistoryView>;

/** Routes that explain why a thing is as it is, and give its history. */
export const explainRoutes = {
  explain: route({
    method: 'GET',
    path: '/api/v1/explain/{kind}/{id}',
    summary:
      'Explain why a node, client system, zone, process, service, storage cluster, the stations of a zone, the orders on its site, the seat of its common content or its revisions are as they are. Name a process by its fid and its zone, a service as TYPE@NODE',
    scope: 'read',
    params: z.strictObject({ kind: subjects, id: z.string().min(1).max(253) }),
    query: z.strictObject({ zone: ZoneName.optional() }),
    reply: Explanation,
    statuses: [200],
    errors: ['unknown-node', 'unknown-system', 'unknown-zone', 'unknown-process', 'unknown-service', 'not-a-storage-zone', 'invalid'],
  }),
  history: route({
    method: 'GET',
    path: '/api/v1/history/{kind}/{id}',
    summary: 'The conclusions about a subject, oldest first; `after` fills gaps of a consumer',
    scope: 'read',
    params: z.strictObject({ kind: subjects, id: z.string().min(1).max(253) }),
    query: z.strictObject({
      after: z.coerce.number().int().nonnegative().default(0),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      zone: ZoneName.optional(),
    }),
    reply: z.strictObject({ items: z.array(HistoryView), more: z.boolean() }),
    statuses: [200],
    errors: ['unknown-node', 'unknown-system', 'unknown-zone', 'unknown-process', 'unknown-service', 'not-a-storage-zone', 'invalid'],
  }),
} as const;

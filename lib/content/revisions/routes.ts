import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { ContentDone } from '../../nodes/desired/desired.ts';

const params = z.strictObject({ zone: ZoneName });
const Because = z.string().trim().min(1).max(200);
const Removes = z.boolean().default(false).describe('Whether what servers have beyond the revision is removed there');

/** A revision, as the API and the command line show it. */
export const RevisionView = z.strictObject({
  revision: z.int().positive(),
  root: z.string(),
  entries: z.int(),
  at: Moment,
  by: z.string(),
  because: z.string(),
  node: NodeId,
  fqdn: Fqdn,
  removes: z.boolean(),
  /** The earlier revision whose documents were taken back. */
  of: z.int().positive().optional(),
});
export type RevisionView = z.infer<typeof RevisionView>;

/**
 * A server and the last revision: it has it, could not take it, is at it, is to get its order, keeps changes of its
 * own, or is not up.
 */
export const ServerView = z.strictObject({
  node: NodeId,
  fqdn: Fqdn,
  is: z.enum(['reached', 'failed', 'open', 'due', 'edited', 'away']),
  /** The last revision that it has, or is to have. */
  revision: z.int().positive().optional(),
  at: Moment.optional(),
  counts: ContentDone.shape.counts,
  why: z.array(z.string()),
});
export type ServerView = z.infer<typeof ServerView>;

/** The common content of a zone: its revisions, the newest first, and how far its servers are. */
export const ContentView = z.strictObject({
  zone: ZoneName,
  /** The number of the last revision; 0 before the first. */
  revision: z.int(),
  revisions: z.array(RevisionView),
  /** The server whose content is being read, to be the next revision. */
  reading: z.strictObject({ node: NodeId, fqdn: Fqdn, from: Moment, until: Moment, by: z.string(), because: z.string() }).optional(),
  /** The last revision is on its way, since when, and why it was stopped if it was. */
  spreading: z.strictObject({ since: Moment, stopped: z.string().optional() }).optional(),
  servers: z.array(ServerView),
  because: z.string(),
});
export type ContentView = z.infer<typeof ContentView>;

/** What two revisions do not have alike. */
export const ContentDiff = z.strictObject({
  from: z.int().positive(),
  to: z.int().positive(),
  differences: z.array(
    z.strictObject({ kind: z.string(), key: z.string(), is: z.enum(['added', 'changed', 'removed']), fields: z.array(z.string()) }),
  ),
  /** There are more than these. */
  more: z.boolean(),
});
export type ContentDiff = z.infer<typeof ContentDiff>;

/** The revisions of the common content of a zone. */
export const contentRoutes = {
  getContent: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/content',
    summary: 'The revisions of the common content of a zone, and how far its servers are',
    scope: 'read',
    params,
    reply: ContentView,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  applyContent: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/content/apply',
    summary:
      'Have all Uyuni servers of a zone have the common content of one: of the seat, or of the server that was changed last. All editing ends; the content is read as the next revision, and goes to the servers in waves',
    scope: 'operate',
    params,
    body: z.strictObject({
      from: z.union([NodeId, Fqdn]).optional(),
      because: Because,
      removes: Removes,
      /** Ends the editing of others, who are refused otherwise. */
      endsOthers: z.boolean().default(false),
    }),
    reply: ContentView,
    statuses: [202],
    errors: ['unknown-zone', 'unknown-node', 'refused'],
  }),
  rollBackContent: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/content/rollback',
    summary: 'Take the documents of an earlier revision back: they are the next revision',
    scope: 'operate',
    params,
    body: z.strictObject({ revision: z.int().positive(), because: Because, removes: Removes }),
    reply: ContentView,
    statuses: [202],
    errors: ['unknown-zone', 'refused'],
  }),
  resumeContent: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/content/resume',
    summary: 'Have servers that could not take the last revision try again, and let it go on where it was stopped',
    scope: 'operate',
    params,
    body: z.strictObject({}),
    reply: ContentView,
    statuses: [202],
    errors: ['unknown-zone', 'refused'],
  }),
  diffContent: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/content/diff',
    summary: 'Which documents two revisions do not have alike, and in which fields',
    scope: 'read',
    params,
    query: z.strictObject({ from: z.coerce.number().int().positive(), to: z.coerce.number().int().positive() }),
    reply: ContentDiff,
    statuses: [200],
    errors: ['unknown-zone', 'not-found'],
  }),
} as const;

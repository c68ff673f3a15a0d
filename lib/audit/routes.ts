import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { ZoneName } from '../core/ids.ts';

/** A zone, or `-` for none. */
export const AuditZone = z.union([ZoneName, z.literal('-')]);
export type AuditZone = z.infer<typeof AuditZone>;
/** A day in UTC. */
export const AuditDay = z.iso.date('a day is written 2026-11-21');
/** The actor of an entry, such as `admin:anna` or `key:ci`. */
export const Who = z.string().min(1).max(300);

/** Both days are included. */
const days = { from: AuditDay.optional(), to: AuditDay.optional() };

/** An entry of the audit as the API and the CLI show it, with its place in the chain of its zone and day. */
export const AuditView = z.strictObject({
  n: z.int(),
  at: Moment,
  /** `-` when it belongs to none. */
  zone: z.string(),
  who: z.string(),
  /** The id of the key or token that the call presented. */
  key: z.string().optional(),
  source: z.string(),
  request: z.string(),
  did: z.enum(['began', 'changed', 'ended', 'tried']),
  what: z.strictObject({ noun: z.string(), id: z.string(), row: z.string(), rev: z.int() }),
  because: z.string(),
  /** The names of the fields that changed. */
  fields: z.array(z.string()).optional(),
  /** The events that were concluded; numbered from `first` on in the history of the changed thing. */
  events: z.strictObject({ first: z.int(), types: z.array(z.string()) }).optional(),
  /** Only for a refused attempt. */
  refused: z.strictObject({ route: z.string(), type: z.string(), subject: z.string().optional() }).optional(),
  previous: z.string(),
  hash: z.string(),
});
export type AuditView = z.infer<typeof AuditView>;

/** The place of an entry in the chain of a zone and day. */
export const AuditPlace = z.strictObject({ zone: z.string(), day: AuditDay, n: z.int() });
export type AuditPlace = z.infer<typeof AuditPlace>;

/** A fault that `verify` found. */
export const AuditFault = z.strictObject({ ...AuditPlace.shape, what: z.string() });
export type AuditFault = z.infer<typeof AuditFault>;

/** The routes of the audit. */
export const adminAuditRoutes = {
  listAudit: route({
    method: 'GET',
    path: '/api/v1/audit',
    summary:
      'Actions and attempts of people and automation, in the order of days, zones and numbers. Covers the last seven days by default',
    scope: 'security',
    query: z.strictObject({ zone: AuditZone.optional(), ...days, who: Who.optional(), ...paged }),
    /** Places that hold no readable entry, whichever actor it may have had; `verify` reports the fault. */
    reply: listOf(AuditView).extend({ unreadable: z.array(AuditPlace).optional() }),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  verifyAudit: route({
    method: 'GET',
    path: '/api/v1/audit/verify',
    summary: 'Verify that the audit is whole, one part per call; continue with `next`. Covers all stored days by default',
    scope: 'security',
    query: z.strictObject({ ...days, cursor: paged.cursor }),
    reply: z.strictObject({
      /** This part has no faults. */
      ok: z.boolean(),
      /** Entries verified in this part. */
      entries: z.int(),
      /** Chains, one per zone and day, whose end this part reached. */
      days: z.int(),
      faults: z.array(AuditFault),
      /** The first day whose chains are stored. */
      keptSince: AuditDay,
      next: z.string().optional(),
    }),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
} as const;

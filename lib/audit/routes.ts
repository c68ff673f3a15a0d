import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { ZoneName } from '../core/ids.ts';

/** A zone, or `-` for what is of none. */
export const AuditZone = z.union([ZoneName, z.literal('-')]);
export type AuditZone = z.infer<typeof AuditZone>;
/** A day in UTC. */
export const AuditDay = z.iso.date('a day is written 2026-11-21');
/** Whom something was put down to, such as `admin:anna` or `key:ci`. */
export const Who = z.string().min(1).max(300);

/** Both days are in it. */
const days = { from: AuditDay.optional(), to: AuditDay.optional() };

/** An entry of the audit as the API and the CLI show it, with its place in the chain of its zone and day. */
export const AuditView = z.strictObject({
  n: z.int(),
  at: Moment,
  /** `-` when it is of none. */
  zone: z.string(),
  who: z.string(),
  /** The id of the key or token that was shown. */
  key: z.string().optional(),
  source: z.string(),
  request: z.string(),
  did: z.enum(['began', 'changed', 'ended', 'tried']),
  what: z.strictObject({ noun: z.string(), id: z.string(), row: z.string(), rev: z.int() }),
  because: z.string(),
  /** The names of the fields that changed. */
  fields: z.array(z.string()).optional(),
  /** What was concluded; numbered from `first` on in the history of what changed. */
  events: z.strictObject({ first: z.int(), types: z.array(z.string()) }).optional(),
  /** Of an attempt that was refused. */
  refused: z.strictObject({ route: z.string(), type: z.string(), subject: z.string().optional() }).optional(),
  previous: z.string(),
  hash: z.string(),
});
export type AuditView = z.infer<typeof AuditView>;

/** The place of an entry in the chain of a zone and day. */
export const AuditPlace = z.strictObject({ zone: z.string(), day: AuditDay, n: z.int() });
export type AuditPlace = z.infer<typeof AuditPlace>;

/** Something that `verify` found. */
export const AuditFault = z.strictObject({ ...AuditPlace.shape, what: z.string() });
export type AuditFault = z.infer<typeof AuditFault>;

/** Who did and tried what. */
export const adminAuditRoutes = {
  listAudit: route({
    method: 'GET',
    path: '/api/v1/audit',
    summary: 'What people and automation did or tried, in the order of days, zones and numbers; the last seven days unless told',
    scope: 'security',
    query: z.strictObject({ zone: AuditZone.optional(), ...days, who: Who.optional(), ...paged }),
    /**
     * What stands at a place and is no entry is named, whoever it may have been of; `verify` says what is wrong with
     * it.
     */
    reply: listOf(AuditView).extend({ unreadable: z.array(AuditPlace).optional() }),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  verifyAudit: route({
    method: 'GET',
    path: '/api/v1/audit/verify',
    summary: 'Whether the audit is whole: a part at a call, go on with `next`; all that is kept unless told',
    scope: 'security',
    query: z.strictObject({ ...days, cursor: paged.cursor }),
    reply: z.strictObject({
      /** Nothing was found in this part. */
      ok: z.boolean(),
      /** Entries that were looked at in this part. */
      entries: z.int(),
      /** Chains, one a zone and day, whose end was reached in this part. */
      days: z.int(),
      faults: z.array(AuditFault),
      /** The first day of which chains are kept. */
      keptSince: AuditDay,
      next: z.string().optional(),
    }),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
} as const;

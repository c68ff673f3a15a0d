import * as z from 'zod';
import { Envelope } from '../../events/envelope.ts';
import { Moment } from '../api/moment.ts';
import { route } from '../api/route.ts';

/** The longest cursor: it has a place for each zone, and fits into a URL. */
export const cursorCharsMax = 8_000;

const zone = '(?:[a-z][a-z0-9-]{0,39}|-)';
const type = '[a-z][a-z.-]{0,99}';

/** The routes of the journal. */
export const journalRoutes = {
  listChanges: route({
    method: 'GET',
    path: '/api/v1/changes',
    summary:
      'The events of the zones of the caller since a cursor (`after`) or a moment of the last day (`since`), in order; without either, the cursor of now alone. Continue with `next`, at once while there is `more`. Events of no zone are those of `-`, for callers who are limited to no zone',
    scope: 'read',
    query: z.strictObject({
      after: z.string().min(1).max(cursorCharsMax).optional(),
      since: Moment.optional(),
      zones: z
        .string()
        .max(4_000)
        .regex(new RegExp(`^${zone}(?:,${zone})*$`), 'zones are written default,lab')
        .optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      type: z
        .string()
        .max(1_000)
        .regex(new RegExp(`^${type}(?:,${type})*$`), 'types, or how they begin, are written node.,client.accepted')
        .optional(),
    }),
    reply: z.strictObject({ items: z.array(Envelope), next: z.string(), more: z.boolean() }),
    statuses: [200],
    errors: ['bad-cursor', 'changes-expired', 'unknown-zone', 'invalid'],
  }),
} as const;

import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';

/** Knocks that were refused lately for one reason, from one network address, with one token. */
export const RefusedKnocksView = z.strictObject({
  /** The type of the problem in the answer; `token-refused` where they wait because a token did not accept them. */
  reason: z.string(),
  /** Why the token did not accept them. */
  because: z.string().optional(),
  /** The network address, or the /64 of an IPv6 address. */
  source: z.string(),
  /** The public id of the token that they brought, and its zone. */
  token: z.string().optional(),
  zone: ZoneName.optional(),
  /** At least so many. */
  count: z.int(),
  firstAt: Moment,
  lastAt: Moment,
});
export type RefusedKnocksView = z.infer<typeof RefusedKnocksView>;

/** The routes of knocks that were refused. */
export const adminRefusalRoutes = {
  listRefusedKnocks: route({
    method: 'GET',
    path: '/api/v1/refused-knocks',
    summary:
      'Knocks that were refused within the last hour, by reason, network address and onboarding token. Callers limited to zones see those with a token of their zones',
    scope: 'read',
    reply: z.strictObject({ items: z.array(RefusedKnocksView) }),
    statuses: [200],
    errors: [],
  }),
} as const;

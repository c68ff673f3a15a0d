import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { listOf, paged } from '../../api/page.ts';
import { route } from '../../api/route.ts';
import { Cidr } from '../../core/cidr.ts';
import { Tag, ZoneName } from '../../core/ids.ts';
import { OnboardingTokenId, perMinuteMax, usesMax, usualPerMinute } from './onboarding-token.ts';

/** An onboarding token as the API and the CLI show it. Its secret is shown once, when the token is created. */
export const OnboardingTokenView = z.strictObject({
  id: OnboardingTokenId,
  status: z.enum(['valid', 'used', 'expired', 'revoked']),
  /** The zone, tags and groups of the machines that it accepts. */
  zone: ZoneName,
  tags: z.array(Tag),
  groups: z.array(Tag),
  cidr: z.string().optional(),
  uses: z.int(),
  used: z.int(),
  /** The most machines that it accepts a minute. Absent in answers of an older Muster. */
  perMinute: z.int().optional(),
  createdAt: Moment,
  expiresAt: Moment,
  revokedAt: Moment.optional(),
});

export type OnboardingTokenView = z.infer<typeof OnboardingTokenView>;

/** How many machines a token accepts a minute: by default, and at the most. */
export const machinesPerMinute = { usual: usualPerMinute, most: perMinuteMax } as const;

/** The routes of tokens that accept machines without an administrator checking each fingerprint. */
export const adminOnboardingRoutes = {
  createOnboardingToken: route({
    method: 'POST',
    path: '/api/v1/onboarding-tokens',
    summary:
      'Create a token that accepts up to `uses` machines into a zone at their first knock, with tags and groups. Only this answer contains the secret',
    scope: 'admin',
    body: z.strictObject({
      zone: ZoneName.optional(),
      tags: z.array(Tag).max(64).default([]),
      groups: z.array(Tag).max(64).default([]),
      uses: z.int().positive().max(usesMax).default(1),
      perMinute: z.int().positive().max(perMinuteMax).default(usualPerMinute),
      expiresAt: Moment.optional(),
      cidr: Cidr.optional(),
    }),
    reply: z.strictObject({ secret: z.string(), token: OnboardingTokenView }),
    statuses: [201],
    errors: ['unknown-zone', 'invalid'],
    secret: true,
  }),
  listOnboardingTokens: route({
    method: 'GET',
    path: '/api/v1/onboarding-tokens',
    summary: 'Onboarding tokens, including those that ended within the last month',
    scope: 'operate',
    query: z.strictObject(paged),
    reply: listOf(OnboardingTokenView),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  revokeOnboardingToken: route({
    method: 'POST',
    path: '/api/v1/onboarding-tokens/{id}/revoke',
    summary: 'Revoke an onboarding token; the machines that it accepted stay accepted',
    scope: 'admin',
    params: z.strictObject({ id: OnboardingTokenId }),
    body: z.strictObject({}).default({}),
    reply: OnboardingTokenView,
    statuses: [200],
    errors: ['unknown-token'],
  }),
} as const;

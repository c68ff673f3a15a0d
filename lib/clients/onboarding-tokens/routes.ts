import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { listOf, paged } from '../../api/page.ts';
import { route } from '../../api/route.ts';
import { Cidr } from '../../core/cidr.ts';
import { Tag, ZoneName } from '../../core/ids.ts';
import { OnboardingTokenId, usesMax } from './onboarding-token.ts';

/** An onboarding token as the API and the CLI show it; its secret is shown once, when it is made. */
export const OnboardingTokenView = z.strictObject({
  id: OnboardingTokenId,
  status: z.enum(['valid', 'used', 'expired', 'revoked']),
  /** Where the machines that it accepts belong, with which tags and groups. */
  zone: ZoneName,
  tags: z.array(Tag),
  groups: z.array(Tag),
  cidr: z.string().optional(),
  uses: z.int(),
  used: z.int(),
  createdAt: Moment,
  expiresAt: Moment,
  revokedAt: Moment.optional(),
});

export type OnboardingTokenView = z.infer<typeof OnboardingTokenView>;

/** Tokens by which machines are accepted without anybody looking at each fingerprint. */
export const adminOnboardingRoutes = {
  createOnboardingToken: route({
    method: 'POST',
    path: '/api/v1/onboarding-tokens',
    summary:
      'Make a token by which so many machines are accepted into a zone at their first knock, with tags and groups. The secret is in this answer only',
    scope: 'admin',
    body: z.strictObject({
      zone: ZoneName.optional(),
      tags: z.array(Tag).max(64).default([]),
      groups: z.array(Tag).max(64).default([]),
      uses: z.int().positive().max(usesMax).default(1),
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
    summary: 'Onboarding tokens, those that ended within the last month too',
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

import * as z from 'zod';
import { Cidr } from '../admission/cidr.ts';
import { Tag, ZoneName } from '../ids.ts';
import { OnboardingTokenId, usesMax } from '../onboarding-tokens/onboarding-token.ts';
import { listOf, paged } from './page.ts';
import { route } from './route.ts';
import { Moment, OnboardingTokenView } from './views.ts';

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

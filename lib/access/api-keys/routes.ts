import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { listOf, paged } from '../../api/page.ts';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';
import { adminScopes } from '../../identity/rights.ts';
import { SubjectName } from '../subjects/subject.ts';
import { ApiKeyId, keyDays } from './api-key.ts';

const reach = z.union([z.literal('all'), z.array(ZoneName)]);

/** An API key or a session in the API and the CLI. Its secret appears once, when it is made. */
export const ApiKeyView = z.strictObject({
  id: ApiKeyId,
  /** No list has links; a link only appears when it is revoked. */
  kind: z.enum(['key', 'session', 'link']),
  status: z.enum(['valid', 'expired', 'revoked']),
  name: z.string(),
  /** Each scope, and where the key holds it. */
  rights: z.partialRecord(z.enum(adminScopes), reach),
  createdAt: Moment,
  createdBy: z.string(),
  expiresAt: Moment,
  /** Written at most hourly. */
  lastUsedAt: Moment.optional(),
  revokedAt: Moment.optional(),
});

export type ApiKeyView = z.infer<typeof ApiKeyView>;

/** Something that was made with a key, or by a subject, and ends with it. */
export const MadeView = z.strictObject({
  kind: z.enum(['key', 'session', 'link', 'join-token', 'onboarding-token']),
  id: z.string(),
  /** The name of a key, the hosts of a join token, the zone of an onboarding token. */
  name: z.string(),
  createdAt: Moment,
});

export type MadeView = z.infer<typeof MadeView>;

/** A subject of the issuer that was locked here once. */
export const SubjectView = z.strictObject({
  subject: SubjectName,
  status: z.enum(['locked', 'unlocked']),
  lockedAt: Moment.optional(),
  lockedBy: z.string().optional(),
  /** Everything that it made until then has ended. */
  madeEndedAt: Moment.optional(),
});

export type SubjectView = z.infer<typeof SubjectView>;

/** The name of a key: one line that a terminal can display. */
const KeyName = z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u, 'a name is 1 to 100 printable characters');

/** The shape of a secret; the answer to a call tells whether it is valid. */
const secret = z.string().min(1).max(200);

/** Whether things made with it end too. A dry run ends nothing, and lists what would end. */
const withMadeShape = { withMade: z.boolean().default(false), dryRun: z.boolean().default(false) };
const withMade = z.strictObject(withMadeShape).default({ withMade: false, dryRun: false });

/** API keys for automation, and how people sign in. */
export const adminKeyRoutes = {
  createKey: route({
    method: 'POST',
    path: '/api/v1/keys',
    summary: `Make an API key for a program, with scopes, in all zones or some, for ${keyDays.usual} days by default and ${keyDays.max} at the most. Only this answer has the secret. You can only grant scopes that you hold yourself`,
    scope: 'security',
    body: z
      .strictObject({
        name: KeyName,
        scopes: z.array(z.enum(adminScopes)).min(1).max(adminScopes.length),
        /** Where the scopes are valid: in all zones when absent. */
        zones: z.array(ZoneName).min(1).max(50).optional(),
        expiresInDays: z.int().min(1).max(keyDays.max).optional(),
        /** The end, instead of a number of days. */
        expires: Moment.optional(),
      })
      .refine(({ expiresInDays, expires }) => expiresInDays === undefined || expires === undefined, {
        error: 'give either expiresInDays or expires, not both',
        path: ['expires'],
      }),
    reply: z.strictObject({ secret: z.string(), key: ApiKeyView }),
    statuses: [201],
    errors: ['insufficient-scope', 'unknown-zone', 'invalid', 'refused'],
    secret: true,
  }),
  listKeys: route({
    method: 'GET',
    path: '/api/v1/keys',
    summary: 'API keys and sessions, including those that ended within the last month; a page may be short while more follow',
    scope: 'security',
    query: z.strictObject(paged),
    reply: listOf(ApiKeyView),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  revokeKey: route({
    method: 'POST',
    path: '/api/v1/keys/{id}/revoke',
    summary:
      'Revoke an API key or a sign-in link, or end a session, everywhere within 5 s. `withMade` also ends the keys, sessions and tokens that were made with it, in any generation. Safe to repeat',
    scope: 'security',
    params: z.strictObject({ id: ApiKeyId }),
    body: withMade,
    reply: ApiKeyView.extend({ made: z.array(MadeView).optional() }),
    statuses: [200],
    errors: ['unknown-key'],
  }),
  listSubjects: route({
    method: 'GET',
    path: '/api/v1/subjects',
    summary: 'Subjects of the issuer that were locked here once; a page may be short while more follow',
    scope: 'security',
    query: z.strictObject(paged),
    reply: listOf(SubjectView),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  lockSubject: route({
    method: 'POST',
    path: '/api/v1/subjects/lock',
    summary:
      'Refuse a subject of the issuer and its sessions, everywhere within 5 s, although its tokens are still valid at the issuer. `withMade` also ends what it made, permanently. You cannot lock your own subject',
    scope: 'security',
    body: z.strictObject({ subject: SubjectName, ...withMadeShape }),
    reply: z.strictObject({ subject: SubjectView, made: z.array(MadeView) }),
    statuses: [200],
    errors: ['refused'],
  }),
  unlockSubject: route({
    method: 'POST',
    path: '/api/v1/subjects/unlock',
    summary: "Accept a subject's tokens again; everything that ended with the lock stays ended",
    scope: 'security',
    body: z.strictObject({ subject: SubjectName }),
    reply: SubjectView,
    statuses: [200],
    errors: [],
  }),
  createSignInLink: route({
    method: 'POST',
    path: '/api/v1/sign-in-links',
    summary:
      "Make a link by which somebody signs in once, within 10 min, with the caller's own rights, for no longer than the caller's token is valid. Only this answer has the secret",
    scope: 'admin',
    body: z.strictObject({}).default({}),
    reply: z.strictObject({ link: z.string(), expires: Moment }),
    statuses: [201],
    errors: ['refused'],
    secret: true,
  }),
  signIn: route({
    method: 'POST',
    path: '/api/v1/sign-in',
    summary: 'Sign in once with the secret of a link; the answer has a bearer token for 12 h at the most',
    scope: 'anyone',
    body: z.strictObject({ secret }),
    reply: z.strictObject({ token: z.string(), expires: Moment, name: z.string() }),
    statuses: [201],
    errors: ['bearer-invalid'],
    secret: true,
  }),
  signOut: route({
    method: 'POST',
    path: '/api/v1/sign-out',
    summary: "End the caller's own session, everywhere within 5 s. Any other credential is refused, and the detail says where it ends",
    scope: 'read',
    body: z.strictObject({}).default({}),
    reply: ApiKeyView,
    statuses: [200],
    errors: ['refused'],
  }),
  waysToSignIn: route({
    method: 'GET',
    path: '/api/v1/sign-in',
    summary: 'The ways to sign in here; with `oidc`, the issuer',
    scope: 'anyone',
    reply: z.strictObject({
      methods: z.array(z.enum(['oidc', 'link'])),
      issuer: z.string().optional(),
      clientId: z.string().optional(),
      scopes: z.string().optional(),
    }),
    statuses: [200],
    errors: [],
  }),
  whoAmI: route({
    method: 'GET',
    path: '/api/v1/whoami',
    summary: "The caller's identity, its scopes, and where it holds them",
    scope: 'read',
    reply: z.strictObject({ who: z.string(), name: z.string(), rights: ApiKeyView.shape.rights }),
    statuses: [200],
    errors: [],
  }),
} as const;

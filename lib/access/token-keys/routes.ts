import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';

/** A key that signs or verifies membership tokens and cursors; its secret never appears. */
export const TokenKeyView = z.strictObject({
  id: z.int(),
  /** `signs`: the newest; `verifies`: the one before, whose tokens are still valid. */
  use: z.enum(['signs', 'verifies']),
  /** When it was made; absent for the first key of the deployment. */
  since: Moment.optional(),
});
export type TokenKeyView = z.infer<typeof TokenKeyView>;

/** Which keys: those of membership tokens and cursors, or those that seal the audit and are never retired. */
export const KeysOf = z.enum(['tokens', 'audit']);

/** Routes about the keys of membership tokens, and of the audit. */
export const adminTokenKeyRoutes = {
  listTokenKeys: route({
    method: 'GET',
    path: '/api/v1/token-keys',
    summary:
      'The keys that sign and verify membership tokens and cursors, or seal the audit, newest first: their ids and ages, never their secrets',
    scope: 'read',
    query: z.strictObject({ of: KeysOf.default('tokens') }),
    reply: z.strictObject({ items: z.array(TokenKeyView) }),
    statuses: [200],
    errors: [],
  }),
  rotateTokenKeys: route({
    method: 'POST',
    path: '/api/v1/token-keys/rotate',
    summary: 'Sign with a new key from now on. The key before still verifies, and any older one is retired, except those of the audit',
    scope: 'security',
    body: z.strictObject({
      of: KeysOf.default('tokens'),
      /** Rotates even when tokens of the retired key may still be in use: their owners must knock again. */
      force: z.boolean().default(false),
      /**
       * The id of the key that signs now. Nothing changes when another key signs already, so the call is safe to
       * repeat.
       */
      replaces: z.int().positive().optional(),
    }),
    reply: z.strictObject({
      /** The id of the key that signs from now on, or signs already. */
      current: z.int(),
      /** The id of the key that no longer verifies. */
      retired: z.int().optional(),
      because: z.string(),
    }),
    statuses: [200],
    errors: ['refused'],
  }),
} as const;

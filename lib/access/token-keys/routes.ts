import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';

/** A key that signs or verifies membership tokens and cursors; its secret is never shown. */
export const TokenKeyView = z.strictObject({
  id: z.int(),
  /** `signs`: the newest; `verifies`: the one before, whose tokens still hold. */
  use: z.enum(['signs', 'verifies']),
  /** Since when it is there; absent for the key that the deployment began with. */
  since: Moment.optional(),
});
export type TokenKeyView = z.infer<typeof TokenKeyView>;

/** Which keys: those of membership tokens and cursors, or those that seal the audit, of which none is ever retired. */
export const KeysOf = z.enum(['tokens', 'audit']);

/** What operators do with the keys of membership tokens, and of the audit. */
export const adminTokenKeyRoutes = {
  listTokenKeys: route({
    method: 'GET',
    path: '/api/v1/token-keys',
    summary:
      'The keys that sign and verify membership tokens and cursors, or seal the audit, the newest first: ids, and since when; never secrets',
    scope: 'read',
    query: z.strictObject({ of: KeysOf.default('tokens') }),
    reply: z.strictObject({ items: z.array(TokenKeyView) }),
    statuses: [200],
    errors: [],
  }),
  rotateTokenKeys: route({
    method: 'POST',
    path: '/api/v1/token-keys/rotate',
    summary: 'Sign with a new key from now on; the one before still verifies, and any older one is retired, but for those of the audit',
    scope: 'security',
    body: z.strictObject({
      of: KeysOf.default('tokens'),
      /** Also when tokens of the key that is retired may still be in use: their owners must knock again. */
      force: z.boolean().default(false),
      /**
       * The id of the key that signs now: where another signs already, nothing is done, so that the call may be
       * repeated.
       */
      replaces: z.int().positive().optional(),
    }),
    reply: z.strictObject({
      /** The id of the key that signs from now on, or signs already. */
      current: z.int(),
      /** The id of the key that verifies no more. */
      retired: z.int().optional(),
      because: z.string(),
    }),
    statuses: [200],
    errors: ['refused'],
  }),
} as const;

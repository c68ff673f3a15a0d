import * as z from 'zod';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { dayMs, EpochMs, hourMs, minuteMs } from '../../core/time.ts';
import { adminScopes } from '../../identity/rights.ts';
import { secretIdForm } from '../../identity/secret-text.ts';
import { Lineage } from '../subjects/rows/lineage.ts';

/**
 * How long an API key is valid, in days: by default, and at the most. The maximum is a little over a year, so that a
 * key that is renewed yearly never lapses.
 */
export const keyDays = { usual: 90, max: 400 } as const;
/** How long a session lasts that began by a link: a working day and some. */
export const sessionForMs = 12 * hourMs;
/** How long a sign-in link waits to be used. */
export const linkForMs = 10 * minuteMs;
/**
 * How long an issuer's token must still be valid to make a link. With less, the link would end before anybody could use
 * it.
 */
export const linkLeftMs = minuteMs;
/** The longest life of each kind, whatever its row says. */
const lifeMaxMs = { key: keyDays.max * dayMs, session: sessionForMs, link: linkForMs } as const;
/** How often the use of a key may cost a write, at the most. */
export const usedEveryMs = hourMs;
/** How long a key stays in lists after its end. */
export const listedForMs = 30 * dayMs;

/** The public part of a key: it names the key in lists, rows and the audit. */
export const ApiKeyId = z.string().regex(secretIdForm, 'the id of a key is 12 lower-case letters and digits').brand<'ApiKeyId'>();
export type ApiKeyId = z.infer<typeof ApiKeyId>;

const reach = z.union([z.literal('all'), z.array(ZoneName).readonly()]);

/**
 * A credential that lets in anyone who sends its secret: an API key for a program, a session for a person who has
 * signed in, or a link by which a person signs in once. Only a hash of the secret is stored.
 */
export const ApiKey = z.strictObject({
  id: ApiKeyId,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z.enum(['key', 'session', 'link']),
  name: z.string(),
  rights: z.partialRecord(z.enum(adminScopes), reach),
  /** To whom calls are attributed: `key:<id>` for an API key; for sessions and links, the caller who made the link. */
  who: z.string(),
  /** The session or key that made the link: everything that the link let in ends with it. */
  parent: ApiKeyId.optional(),
  /** When the issuer's token ends that made the link: everything that the link let in ends then. */
  until: EpochMs.optional(),
  createdAt: EpochMs,
  createdBy: z.string(),
  /** The lineage that it was made with; absent in a row from before lineages were recorded. */
  madeBy: Lineage.optional(),
  expiresAt: EpochMs,
  /** Written at most hourly. */
  lastUsedAt: EpochMs.optional(),
  revokedAt: EpochMs.optional(),
  /** It was revoked together with everything that was made with it. */
  withMade: z.literal(true).optional(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** The status of a key now. */
export function statusOf({ kind, createdAt, revokedAt, expiresAt: stated }: ApiKey, now: EpochMs): 'valid' | 'expired' | 'revoked' {
  const expiresAt = Math.min(stated, createdAt + lifeMaxMs[kind]);
  return revokedAt !== undefined ? 'revoked' : expiresAt <= now ? 'expired' : 'valid';
}

/**
 * The lineage that a key was made with. An older row names only its maker, and for a session the key that made its
 * link.
 */
export function lineageOf({ madeBy, createdBy, parent }: ApiKey): Lineage {
  if (madeBy) return madeBy;
  const key = /^key:([a-z0-9]+)$/.exec(createdBy)?.[1] ?? parent;
  return { who: createdBy, keys: key === undefined ? [] : [key] };
}

/** The row of an API key or a session. */
export const apiKeyRef = refOf('api-key', ApiKey);

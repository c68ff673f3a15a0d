import * as z from 'zod';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { dayMs, EpochMs, hourMs, minuteMs } from '../../core/time.ts';
import { adminScopes } from '../../identity/rights.ts';
import { secretIdForm } from '../../identity/secret-text.ts';
import { Lineage } from '../subjects/rows/lineage.ts';

/**
 * How long an API key lives when nobody says, in days, and at the most: a little over a year, so that one that is
 * renewed yearly never lapses.
 */
export const keyDays = { usual: 90, max: 400 } as const;
/** How long whoever has signed in by a link stays signed in: a working day and some. */
export const sessionForMs = 12 * hourMs;
/** How long a sign-in link waits for whom it was made. */
export const linkForMs = 10 * minuteMs;
/**
 * How long an issuer's token must still hold for a link to be made by it: one that ends sooner would end before anybody
 * has used it.
 */
export const linkLeftMs = minuteMs;
/** How long each kind lives at the most, whatever its row says. */
const lifeMaxMs = { key: keyDays.max * dayMs, session: sessionForMs, link: linkForMs } as const;
/** How often the use of a key may cost a write, at the most. */
export const usedEveryMs = hourMs;
/** How long a key is shown after its end. */
export const shownForMs = 30 * dayMs;

/** The public part of a key: it names the key in lists, rows and the audit. */
export const ApiKeyId = z.string().regex(secretIdForm, 'the id of a key is 12 lower-case letters and digits').brand<'ApiKeyId'>();
export type ApiKeyId = z.infer<typeof ApiKeyId>;

const reach = z.union([z.literal('all'), z.array(ZoneName).readonly()]);

/**
 * What lets somebody in who shows its secret: an API key for a program, a session for a person who has signed in, or a
 * link by which a person signs in once. Of the secret only a hash is kept.
 */
export const ApiKey = z.strictObject({
  id: ApiKeyId,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  kind: z.enum(['key', 'session', 'link']),
  name: z.string(),
  rights: z.partialRecord(z.enum(adminScopes), reach),
  /** Whom calls are put down to: `key:<id>` for an API key, for the others who made the link. */
  who: z.string(),
  /** By whose session or key the link was made: what it let in ends with that. */
  parent: ApiKeyId.optional(),
  /** When the issuer's token ends by which the link was made: what it let in ends then. */
  until: EpochMs.optional(),
  createdAt: EpochMs,
  createdBy: z.string(),
  /** What it was made with; absent in a row from before that was written. */
  madeBy: Lineage.optional(),
  expiresAt: EpochMs,
  /** Written at most hourly. */
  lastUsedAt: EpochMs.optional(),
  revokedAt: EpochMs.optional(),
  /** It was revoked with all that was made with it. */
  withMade: z.literal(true).optional(),
});
export type ApiKey = z.infer<typeof ApiKey>;

/** What a key is good for now. */
export function statusOf({ kind, createdAt, revokedAt, expiresAt: said }: ApiKey, now: EpochMs): 'valid' | 'expired' | 'revoked' {
  const expiresAt = Math.min(said, createdAt + lifeMaxMs[kind]);
  return revokedAt !== undefined ? 'revoked' : expiresAt <= now ? 'expired' : 'valid';
}

/** What a key was made with. An older row names its maker alone, and a session the key whose link it began by. */
export function lineageOf({ madeBy, createdBy, parent }: ApiKey): Lineage {
  if (madeBy) return madeBy;
  const key = /^key:([a-z0-9]+)$/.exec(createdBy)?.[1] ?? parent;
  return { who: createdBy, keys: key === undefined ? [] : [key] };
}

/** The row of an API key or a session. */
export const apiKeyRef = refOf('api-key', ApiKey);

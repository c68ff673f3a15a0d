import * as z from 'zod';
import { Lineage } from '../../access/subjects/rows/lineage.ts';
import { Cidr } from '../../core/cidr.ts';
import { Fingerprint, NodeId, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { dayMs, EpochMs, hourMs } from '../../core/time.ts';
import { secretIdForm } from '../../identity/secret-text.ts';
import { NamePattern } from '../admission/rows/pattern.ts';
import { NodeKind } from '../node.ts';

/** How long a token for one host lives at the most: it is made to be used now, by hand. */
export const oneTimeForMs = hourMs;
/**
 * How long a token for a set of hosts lives at the most; whoever carries it in an image renews the image within a year.
 */
export const bootstrapForMs = 365 * dayMs;
/** The most hosts one token admits: it remembers each in its row, about 110 bytes. */
export const usesMax = 1_000;
/** How long a token is shown after its end, with whom it admitted. */
export const shownForMs = 30 * dayMs;

/** The public part of a token. */
export const TokenId = z.string().regex(secretIdForm, 'the id of a token is 12 lower-case letters and digits').brand<'TokenId'>();
export type TokenId = z.infer<typeof TokenId>;

/** A host that a token let in. */
export const Admitted = z.strictObject({ fp: Fingerprint, node: NodeId, at: EpochMs });
export type Admitted = z.infer<typeof Admitted>;

/** A join token's row: what it admits, how often, until when, and whom it did. Of the secret only a hash is kept. */
export const JoinToken = z.strictObject({
  id: TokenId,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** One name, or a pattern of names. */
  nodes: NamePattern,
  kind: NodeKind,
  zone: ZoneName,
  cidr: Cidr.optional(),
  uses: z.int().positive().max(usesMax),
  /** Its hosts may be watched at any address; absent: where they are themselves. */
  anyWatch: z.literal(true).optional(),
  createdAt: EpochMs,
  expiresAt: EpochMs,
  revokedAt: EpochMs.optional(),
  admitted: z.array(Admitted),
  /** What it was made by, and with; absent in a row from before that was written. */
  madeBy: Lineage.optional(),
});
export type JoinToken = z.infer<typeof JoinToken>;

/** Whether a token admits hosts still; its own end is seen by the clock. */
export type TokenStatus = 'valid' | 'used' | 'expired' | 'revoked';

/** What a token is good for now. */
export function statusOf({ revokedAt, expiresAt, uses, admitted }: JoinToken, now: EpochMs): TokenStatus {
  if (revokedAt !== undefined) return 'revoked';
  if (admitted.length >= uses) return 'used';
  return expiresAt <= now ? 'expired' : 'valid';
}

/** The row of a join token. */
export const joinTokenRef = refOf('join-token', JoinToken);

import * as z from 'zod';
import { Lineage } from '../../access/subjects/rows/lineage.ts';
import { Cidr } from '../../core/cidr.ts';
import { Fingerprint, NodeId, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { dayMs, EpochMs, hourMs } from '../../core/time.ts';
import { secretIdForm } from '../../identity/secret-text.ts';
import { NamePattern } from '../admission/rows/pattern.ts';
import { NodeKind } from '../node.ts';

/** The longest life of a token for one host: it is made to be used now, by hand. */
export const oneTimeForMs = hourMs;
/** The longest life of a token for a set of hosts: an image that carries one must be renewed within a year. */
export const bootstrapForMs = 365 * dayMs;
/** The most hosts that one token admits: it records each in its row, in about 110 bytes. */
export const usesMax = 1_000;
/** How long a token is listed after its end, with the hosts that it admitted. */
export const listedForMs = 30 * dayMs;

/** The public part of a token. */
export const TokenId = z.string().regex(secretIdForm, 'the id of a token is 12 lower-case letters and digits').brand<'TokenId'>();
export type TokenId = z.infer<typeof TokenId>;

/** A host that a token let in. */
export const Admitted = z.strictObject({ fp: Fingerprint, node: NodeId, at: EpochMs });
export type Admitted = z.infer<typeof Admitted>;

/**
 * A join token's row: the hosts that it admits, how many, until when, and those that it has admitted. Only a hash of
 * the secret is stored.
 */
export const JoinToken = z.strictObject({
  id: TokenId,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** One name, or a pattern of names. */
  nodes: NamePattern,
  kind: NodeKind,
  zone: ZoneName,
  cidr: Cidr.optional(),
  uses: z.int().positive().max(usesMax),
  /** Its hosts may be watched at any address; absent: only at their own. */
  anyWatch: z.literal(true).optional(),
  createdAt: EpochMs,
  expiresAt: EpochMs,
  revokedAt: EpochMs.optional(),
  admitted: z.array(Admitted),
  /** By whom and with which credentials it was made; absent in a row from before this was recorded. */
  madeBy: Lineage.optional(),
});
export type JoinToken = z.infer<typeof JoinToken>;

/** Whether a token still admits hosts; the clock decides whether it has expired. */
export type TokenStatus = 'valid' | 'used' | 'expired' | 'revoked';

/** The status of a token now. */
export function statusOf({ revokedAt, expiresAt, uses, admitted }: JoinToken, now: EpochMs): TokenStatus {
  if (revokedAt !== undefined) return 'revoked';
  if (admitted.length >= uses) return 'used';
  return expiresAt <= now ? 'expired' : 'valid';
}

/** The row of a join token. */
export const joinTokenRef = refOf('join-token', JoinToken);

import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { NodeId, ZoneName } from '../../core/ids.ts';
import { NodeKind } from '../node.ts';
import { TokenId } from './join-token.ts';

/** A join token as the API and the CLI show it; its secret appears once, when it is made. */
export const NodeTokenView = z.strictObject({
  id: TokenId,
  status: z.enum(['valid', 'used', 'expired', 'revoked']),
  /** The name, or the pattern of names, that it admits. */
  nodes: z.string(),
  kind: NodeKind,
  zone: ZoneName,
  cidr: z.string().optional(),
  uses: z.int(),
  createdAt: Moment,
  expiresAt: Moment,
  revokedAt: Moment.optional(),
  /** Its hosts may be watched at any address. */
  anyWatch: z.literal(true).optional(),
  /** The hosts that it let in. */
  admitted: z.array(z.strictObject({ fingerprint: z.string(), node: NodeId, at: Moment })),
});

export type NodeTokenView = z.infer<typeof NodeTokenView>;

import type { Fingerprint, Fqdn, NodeId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { NodeKind } from '../node.ts';
import type { JoinToken } from './join-token.ts';

/** A host that presents a token. */
export type Presented = {
  readonly secret: string;
  readonly fp: Fingerprint;
  readonly node: NodeId;
  readonly fqdn: Fqdn;
  readonly kind: NodeKind;
  /** The network address it calls from. */
  readonly source: string;
  /** When an operator removed or rejected it: a token from before then no longer admits it. */
  readonly outSince?: EpochMs | undefined;
};

/** A command to a token's row. */
export type TokenCommand =
  | { readonly type: 'create'; readonly token: JoinToken }
  | { readonly type: 'revoke' }
  | ({ readonly type: 'use' } & Presented);

import type { Fingerprint, Fqdn, NodeId } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { NodeKind } from '../node.ts';
import type { JoinToken } from './join-token.ts';

/** A host that shows a token. */
export type Shown = {
  readonly secret: string;
  readonly fp: Fingerprint;
  readonly node: NodeId;
  readonly fqdn: Fqdn;
  readonly kind: NodeKind;
  /** The network address it calls from. */
  readonly source: string;
  /** When it was removed or rejected by an operator: a token from before lets it in no more. */
  readonly outSince?: EpochMs | undefined;
};

/** What a door asks of a token's row. */
export type TokenCommand =
  | { readonly type: 'create'; readonly token: JoinToken }
  | { readonly type: 'revoke' }
  | ({ readonly type: 'use' } & Shown);

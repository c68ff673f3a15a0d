import type { Fingerprint, Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import type { NodeKind } from '../node.ts';
import type { AdmissionRule } from './rows/rules.ts';

/** A host that asks to join. */
export type AskingHost = {
  readonly fp: Fingerprint;
  readonly publicKey: string;
  readonly fqdn: Fqdn;
  readonly kind: NodeKind;
  readonly zone?: ZoneName | undefined;
  readonly watch: string;
  readonly capacity?: number | undefined;
  readonly source: string;
};

/** A command to the row of a host in the pool; `joined` ends it, because the host is a node now. */
export type HostCommand =
  | { readonly type: 'ask'; readonly host: AskingHost }
  | {
      readonly type: 'admit';
      readonly zone: ZoneName;
      readonly kind?: NodeKind | undefined;
      readonly replaces?: NodeId | undefined;
      /** It may be watched at the address that it asks for, even if that is not its own. */
      readonly anyWatch?: boolean | undefined;
    }
  | { readonly type: 'reject' }
  | { readonly type: 'joined' };

/** A command to the row of rules; `use` counts a host that a rule admitted. */
export type RulesCommand =
  | { readonly type: 'add'; readonly rule: AdmissionRule }
  | { readonly type: 'delete'; readonly name: string }
  | { readonly type: 'use'; readonly name: string; readonly fqdn: Fqdn };

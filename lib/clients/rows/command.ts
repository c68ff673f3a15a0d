import type { Fingerprint, Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';

/** Who a knocking machine says it is. */
export type KnockFacts = {
  readonly fp: Fingerprint;
  readonly publicKey: string;
  readonly fqdn: Fqdn;
  readonly machineId: string;
  /** The zone that it asks for; only a signed knock asks for one. */
  readonly zone?: ZoneName | undefined;
  readonly minion?: { readonly id: string; readonly fingerprint: Fingerprint } | undefined;
  readonly facts: Readonly<Record<string, string>>;
  readonly suggestedTags: readonly string[];
};

/** What became of the onboarding token that a knock brought: how it accepts the machine, or why it does not. */
export type ShownToken =
  | {
      readonly accepts: {
        readonly token: string;
        readonly zone: ZoneName;
        readonly tags: readonly string[];
        readonly groups: readonly string[];
      };
    }
  | { readonly refused: string };

/**
 * What a door asks of a client system's row, on behalf of its daemon or an administrator; `id` makes repeats harmless.
 */
export type ClientCommand =
  | {
      readonly type: 'knock';
      readonly id: string;
      readonly who: KnockFacts;
      /** Nobody signed it. */
      readonly unsigned?: true | undefined;
      readonly token?: ShownToken | undefined;
      /** Keys that said its machine id before it did; absent when nobody looked for them. */
      readonly before?: readonly Fingerprint[] | undefined;
    }
  | {
      readonly type: 'share-machine-id';
      readonly id: string;
      readonly after: readonly Fingerprint[];
      readonly gone: readonly Fingerprint[];
    }
  | {
      readonly type: 'accept';
      readonly id: string;
      readonly zone: ZoneName;
      /** Accepted with others: not told a node before. */
      readonly notBefore?: EpochMs | undefined;
      readonly tags: readonly string[];
      readonly groups: readonly string[];
      /** Also where another key said its machine id first. */
      readonly duplicates?: true | undefined;
    }
  | {
      readonly type: 'edit';
      readonly id: string;
      readonly tags?: readonly string[] | undefined;
      readonly groups?: readonly string[] | undefined;
    }
  | {
      /** Tags and groups that are added to those it has, and taken away from them. */
      readonly type: 'label';
      readonly id: string;
      readonly tags: { readonly add: readonly string[]; readonly remove: readonly string[] };
      readonly groups: { readonly add: readonly string[]; readonly remove: readonly string[] };
    }
  | {
      /** To a node of this zone, by its index; `hard`: it waits for this node and no other. */
      readonly type: 'pin';
      readonly id: string;
      readonly zone: ZoneName;
      readonly index: number;
      readonly node: NodeId;
      /** The node's name, for people. */
      readonly name: Fqdn;
      readonly hard: boolean;
    }
  | { readonly type: 'unpin'; readonly id: string }
  | { readonly type: 'tell'; readonly id: string; readonly index: number; readonly node: NodeId; readonly generation: number }
  | { readonly type: 'confirm'; readonly id: string; readonly index: number; readonly generation: number; readonly by: 'daemon' | 'digest' }
  | { readonly type: 'seen'; readonly id: string }
  | { readonly type: 'unregister'; readonly id: string }
  | { readonly type: 'ban'; readonly id: string };

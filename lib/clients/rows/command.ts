import type { ClusterId, Fingerprint, Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { ClientIn } from '../client.ts';
import type { Boot } from './boots.ts';
import type { Claim } from './claims.ts';

/** The description of a machine in its knock. */
export type KnockFacts = {
  readonly fp: Fingerprint;
  readonly publicKey: string;
  readonly fqdn: Fqdn;
  readonly machineId: string;
  /** The zone that it asks for; only a signed knock asks for one. */
  readonly zone?: ZoneName | undefined;
  /** `ofText`: the fingerprints of its key as `salt-key -f` of Salt 3008 prints them, the likeliest first. */
  readonly minion?: { readonly id: string; readonly fingerprint: Fingerprint; readonly ofText?: readonly Fingerprint[] } | undefined;
  readonly facts: Readonly<Record<string, string>>;
  readonly suggestedTags: readonly string[];
};

/** The outcome of the onboarding token of a knock: how it accepts the machine, or why it does not. */
export type PresentedToken =
  | {
      readonly accepts: {
        readonly token: string;
        readonly zone: ZoneName;
        readonly tags: readonly string[];
        readonly groups: readonly string[];
        readonly clusterId: ClusterId;
      };
    }
  | { readonly refused: string };

/** A system of a server that becomes a node, by its minion's key. */
export type AdoptedSystem = {
  /** The fingerprint of its minion's key. */
  readonly fp: Fingerprint;
  /** `ofText`: the fingerprints of that key as `salt-key -f` of Salt 3008 prints them, the likeliest first. */
  readonly minion: { readonly id: string; readonly ofText: readonly Fingerprint[] };
  readonly fqdn: Fqdn;
  /** Empty if the server does not know it. */
  readonly machineId: string;
  /** Its number on that server. */
  readonly number?: number | undefined;
};

/** A node that client systems are adopted with, as a member of its zone. */
export type AdoptingNode = { readonly id: NodeId; readonly index: number; readonly generation: number; readonly name: Fqdn };

/**
 * A command of a handler to the row of a client system, on behalf of its daemon or an administrator; `id` makes repeats
 * harmless.
 */
export type ClientCommand =
  | {
      readonly type: 'knock';
      readonly id: string;
      readonly who: KnockFacts;
      /** It carries no signature. */
      readonly unsigned?: true | undefined;
      /** The boot of the daemon that knocks, and when Muster received it; only a signed knock names one. */
      readonly boot?: Boot | undefined;
      readonly token?: PresentedToken | undefined;
      /** Of a client system that was accepted before there were cluster ids, its own from now on. */
      readonly clusterId?: ClusterId | undefined;
      /** Keys that made each of its claims earlier; absent when the knock did not look for them. */
      readonly others?: Readonly<Record<Claim, readonly Fingerprint[]>> | undefined;
    }
  | {
      readonly type: 'adopt';
      readonly id: string;
      readonly who: AdoptedSystem;
      readonly zone: ZoneName;
      readonly node: AdoptingNode;
      /** Who ordered it, as its row has it. */
      readonly by?: string | undefined;
      readonly others: Readonly<Record<Claim, readonly Fingerprint[]>>;
      /** Accept it although another key made one of its claims first. */
      readonly duplicates?: true | undefined;
    }
  | {
      /** The daemon of a machine that was adopted knocks for the first time, with the proof of its minion's key. */
      readonly type: 'introduce';
      readonly id: string;
      readonly who: KnockFacts;
      readonly boot?: Boot | undefined;
      readonly of: ClientIn<'accepted'>;
      /** Keys that made each of its claims earlier. */
      readonly others: Readonly<Record<Claim, readonly Fingerprint[]>>;
    }
  | {
      readonly type: 'share-claim';
      readonly id: string;
      readonly claim: Claim;
      readonly after: readonly Fingerprint[];
      readonly gone: readonly Fingerprint[];
    }
  | {
      readonly type: 'accept';
      readonly id: string;
      readonly zone: ZoneName;
      /** Its id for tools of Uyuni; absent for one that was accepted already when it was read. */
      readonly clusterId?: ClusterId | undefined;
      /** Who accepts it, as its row has it. */
      readonly by?: string | undefined;
      /** It is accepted with others: it is assigned no node before this moment. */
      readonly notBefore?: EpochMs | undefined;
      readonly tags: readonly string[];
      readonly groups: readonly string[];
      /** Accept it although another key made one of its claims first. */
      readonly duplicates?: true | undefined;
    }
  | {
      readonly type: 'edit';
      readonly id: string;
      readonly tags?: readonly string[] | undefined;
      readonly groups?: readonly string[] | undefined;
    }
  | {
      /** Tags and groups to add to the present ones, and to remove from them. */
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
      /** The name of the node, for people. */
      readonly name: Fqdn;
      readonly hard: boolean;
    }
  | { readonly type: 'unpin'; readonly id: string }
  | { readonly type: 'tell'; readonly id: string; readonly index: number; readonly node: NodeId; readonly generation: number }
  | { readonly type: 'confirm'; readonly id: string; readonly index: number; readonly generation: number; readonly by: 'daemon' | 'digest' }
  | { readonly type: 'seen'; readonly id: string }
  /** Its daemon speaks, in a call other than a knock. */
  | { readonly type: 'boot'; readonly id: string; readonly boot: Boot }
  /** An operator has seen to it that one machine runs with its key. */
  | { readonly type: 'settle'; readonly id: string }
  /** Two digests in a row of its node have missed it, the first of them received at `since`. */
  | { readonly type: 'silent'; readonly id: string; readonly node: NodeId; readonly since: EpochMs }
  /** The digest of its node shows it again. */
  | { readonly type: 'heard'; readonly id: string }
  | { readonly type: 'unregister'; readonly id: string }
  /** It takes the place of another key, and its cluster id: it is that machine, installed anew. */
  | {
      readonly type: 'replace';
      readonly id: string;
      readonly of: ClientIn<'accepted'>;
      readonly by?: string | undefined;
      readonly clusterId: ClusterId;
    }
  /**
   * `replacedBy`: the key that takes its place, and its metadata. `beside`: the client system that was banned, and has
   * the key of its minion.
   */
  | {
      readonly type: 'ban';
      readonly id: string;
      readonly replacedBy?: Fingerprint | undefined;
      readonly beside?: Fingerprint | undefined;
    };

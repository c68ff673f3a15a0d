import type { Fingerprint, Fqdn, NodeId, ZoneName } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { NodeKind } from './node.ts';

/** A command to a node's row on behalf of its agent or an administrator; `id` makes repeats harmless. */
export type NodeCommand =
  | {
      readonly type: 'join';
      readonly id: string;
      readonly node: NodeId;
      readonly publicKey: string;
      readonly fqdn: Fqdn;
      readonly kind: NodeKind;
      readonly zone: ZoneName;
      readonly watch: string;
      readonly capacity?: number | undefined;
      readonly replaces?: NodeId | undefined;
      /** Its zone has stations: it waits for a majority of them before it is a member. */
      readonly waits?: boolean | undefined;
      /** Services are already placed on it, from before it was given up. */
      readonly services?: boolean | undefined;
    }
  | { readonly type: 'leave'; readonly id: string; readonly mode: 'drain' | 'hold'; readonly until?: EpochMs | undefined }
  | { readonly type: 'stay'; readonly id: string }
  /**
   * One of its client systems cannot reach it: the system's fingerprint and network, the generation of the node that it
   * was assigned, and when.
   */
  | {
      readonly type: 'miss';
      readonly id: string;
      readonly system: Fingerprint;
      readonly network: string;
      readonly generation: number;
      readonly at: EpochMs;
    }
  | { readonly type: 'drop'; readonly id: string }
  /** Given up for good: it stays out until it is taken back. */
  | { readonly type: 'remove'; readonly id: string }
  /** `watch`: the address at which it asks to be watched from now on, if the node itself asks. */
  | { readonly type: 'take-back'; readonly id: string; readonly watch?: string | undefined }
  /** It is out, and node `by` takes its place once that is ready; `force`: even while it serves. */
  | { readonly type: 'replace'; readonly id: string; readonly by: NodeId; readonly force: boolean }
  /** It takes the place of `from` once it is ready. */
  | { readonly type: 'take-over'; readonly id: string; readonly from: NodeId }
  /** `name-key`: the key that it will sign with next; `take-key`: that key has signed a call. */
  | { readonly type: 'name-key'; readonly id: string; readonly publicKey: string }
  | { readonly type: 'take-key'; readonly id: string; readonly publicKey: string }
  /** It was found to bear another rate. */
  | { readonly type: 'pace'; readonly id: string; readonly because: string }
  | {
      readonly type: 'edit';
      readonly id: string;
      readonly weight?: number | undefined;
      readonly capacity?: number | null | undefined;
      readonly admitEveryMs?: number | null | undefined;
      /** The template of its page; null is that of its zone. */
      readonly page?: string | null | undefined;
      readonly labels?: Readonly<Record<string, string>> | undefined;
      /** Whether a system other than its agent vouches for its liveness. */
      readonly vouched?: boolean | undefined;
    };

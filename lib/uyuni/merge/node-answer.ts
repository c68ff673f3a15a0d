import type { Fault } from '../xml-rpc/value.ts';
import type { ClusterIdOf } from './ids.ts';
import type { FailureCode } from './refusal.ts';

/**
 * How long a node may take. The signal aborts when that is over. `hold` and `resume` are called around times in which
 * the merge does not read from the node, since the client, or what comes before, takes its time: these are not the
 * node's.
 */
export type Deadline = { readonly signal: AbortSignal; readonly hold?: () => void; readonly resume?: () => void };

/** One node that is asked, and how its answer is had. */
export type NodeAnswer = {
  readonly node: string;
  /**
   * Begins the call; its bytes are those of the document, decompressed. The signal aborts when the node is given up,
   * and must end the call. What it throws, or the bytes do, costs this node alone.
   */
  readonly open: (signal: AbortSignal) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
  /** Without it, ids stay as they are. */
  readonly clusterIdOf?: ClusterIdOf;
  readonly deadline?: Deadline;
};

/**
 * How the answer of a node ended. `elements` are those of it in the merged answer, also when it failed; `leftOut` are
 * elements with an id that Muster does not know.
 */
export type NodeEnd = NodeOk | NodeFailed;
export type NodeOk = { readonly node: string; readonly ok: true; readonly elements: number; readonly leftOut: number };
export type NodeFailed = {
  readonly node: string;
  readonly ok: false;
  readonly code: FailureCode;
  readonly text: string;
  /** The fault that the node answered with, when `code` is `fault`. */
  readonly fault?: Fault;
  readonly elements: number;
  readonly leftOut: number;
};

import type { NodeId, ZoneName } from '../../lib/core/ids.ts';
import { type EpochMs, secondMs } from '../../lib/core/time.ts';
import type { Ledger, ReleaseOrder } from './ledger.ts';

/** One heartbeat of this many carries the digest of the client systems. */
export const digestEvery = 6;

/** The calls of the line to Muster (join, node-up, heartbeat), and those beside it. */
export type Call = 'join' | 'up' | 'heartbeat' | 'read-desired' | 'read-systems' | 'report';

/** The agent's standing with Muster: not yet a node, a boot that is not acknowledged, a member, ended. */
export type Phase = 'joining' | 'starting' | 'member' | 'ended';

/** A report, retained until Muster has it. `n` makes its id, so that Muster recognizes a repeat. */
export type NodeReport =
  | { readonly n: number; readonly type: 'node.ready' }
  | { readonly n: number; readonly type: 'node.released'; readonly mapVersion: number };

/**
 * Work beside the heartbeats, one call of each kind at a time. `resting`: it failed, and the agent tries again after
 * the next answered heartbeat.
 */
export type Task = 'idle' | 'running' | 'resting';

/** Everything that the next decision depends on. */
export type AgentState = {
  readonly phase: Phase;
  readonly node?: NodeId;
  readonly zone?: ZoneName;
  /** Given by Muster; 0 before the first acknowledgement. */
  readonly incarnation: number;
  readonly generation: number;
  /** The number of the last heartbeat of this incarnation. */
  readonly seq: number;
  /** The generation that was given up; sent with every node-up until one is acknowledged. */
  readonly flushed?: number;
  /** The interval that Muster gave last, for answers without one. */
  readonly intervalMs: number;
  /** The call that keeps the node alive: join, node-up or heartbeat. */
  readonly line: { readonly at: EpochMs; readonly calling: boolean; readonly failures: number };
  readonly quarantined: boolean;
  /** The number of the zone's last revocation that Muster named. */
  readonly revoked?: number;
  /** While the host is no node: the reason that the log gave last. */
  readonly notified?: 'pooled' | 'denied' | 'waits';
  /** Muster has removed the node, and it asks once for admission again, by the token that it was given. */
  readonly sentAway?: true;
  /** `rev` is held, `notified` is from the last heartbeat's answer; release orders up to `released` are done. */
  readonly desired: {
    readonly rev: number;
    readonly notified: number;
    readonly release: readonly ReleaseOrder[];
    readonly released: number;
    readonly task: Task;
  };
  readonly releasing: { readonly task: Task; readonly failures: number };
  /**
   * The list of client systems: the version held, the map version that it reflects, and the latest map version named.
   */
  readonly list: {
    readonly version?: number;
    readonly mapVersion: number;
    readonly notified: number;
    readonly stale: boolean;
    readonly task: Task;
  };
  readonly reports: { readonly out: readonly NodeReport[]; readonly next: number; readonly task: Task };
  readonly wakeAt?: EpochMs;
};

/** The state of an agent that starts from its ledger. */
export function firstState(
  { node, zone, incarnation, generation, flushed, desired }: Ledger,
  list: { version: number; mapVersion: number } | undefined,
  now: EpochMs,
): AgentState {
  return {
    phase: node === undefined ? 'joining' : 'starting',
    ...(node !== undefined && { node }),
    ...(zone !== undefined && { zone }),
    ...(flushed !== undefined && { flushed }),
    incarnation,
    generation,
    seq: 0,
    intervalMs: 10 * secondMs,
    line: { at: now, calling: false, failures: 0 },
    quarantined: false,
    desired: { ...desired, notified: desired.rev, task: 'idle' },
    releasing: { task: 'idle', failures: 0 },
    list: {
      ...(list && { version: list.version }),
      mapVersion: list?.mapVersion ?? 0,
      notified: list?.mapVersion ?? 0,
      stale: false,
      task: 'idle',
    },
    reports: { out: [], next: 0, task: 'idle' },
  };
}

/** The part of a state that belongs into the ledger. */
export const rememberedOf = ({
  node,
  zone,
  incarnation,
  generation,
  flushed,
  desired: { rev, release, released },
}: AgentState): Pick<Ledger, 'node' | 'zone' | 'incarnation' | 'generation' | 'flushed' | 'desired'> => ({
  ...(node !== undefined && { node }),
  ...(zone !== undefined && { zone }),
  ...(flushed !== undefined && { flushed }),
  incarnation,
  generation,
  desired: { rev, release: [...release], released },
});

/** The orders that are not carried out yet. */
export const ordersOf = ({ desired }: AgentState): readonly ReleaseOrder[] =>
  desired.release.filter(({ mapVersion }) => mapVersion > desired.released);

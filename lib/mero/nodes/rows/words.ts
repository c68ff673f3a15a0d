import type { NodeStatus } from '../../../nodes/node.ts';

/** The state of a host in the original's status, by the status of its node, and details if there are any. */
const stateTexts = {
  absent: { state: 'unknown' },
  waiting: { state: 'unknown' },
  joining: { state: 'unknown' },
  up: { state: 'online' },
  suspect: { state: 'online', extended: 'suspect' },
  leaving: { state: 'offline' },
  down: { state: 'failed', extended: 'failed (recoverable)' },
  dropped: { state: 'failed', extended: 'failed (unrecoverable)' },
  quarantined: { state: 'online', extended: 'quarantined' },
} as const satisfies Record<NodeStatus, { readonly state: string; readonly extended?: string }>;

/**
 * The state of a host: that of the node that drives it, or unknown while none of its name has joined; and whether an
 * operator stopped it.
 */
export function nodeStateText(status: NodeStatus | undefined, isStopped: boolean): { readonly state: string; readonly extended?: string } {
  const { state, extended }: { state: string; extended?: string } = status === undefined ? { state: 'unknown' } : stateTexts[status];
  const details = [...(extended === undefined ? [] : [extended]), ...(isStopped ? ['stopped by an operator'] : [])];
  return { state, ...(details.length > 0 && { extended: details.join(', ') }) };
}

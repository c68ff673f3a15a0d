import { overdueMsOf } from '../../core/lease.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';

/** What the brakes see of one member of a zone. They look at all of them whenever somebody's silence may be a loss. */
export type Seen = {
  readonly id: string;
  /** Its place in the roster, by which stations say whether they hear it; absent until it has one. */
  readonly index?: number;
  readonly fqdn: string;
  readonly status: Node['status'];
  readonly heardAt: EpochMs;
  /** How long a word keeps it up: its own lease, in ms. */
  readonly leaseMs: number;
  /** When its lease runs out, which a suspect's has not when its clients said so early. */
  readonly leaseUntil?: EpochMs;
  /**
   * It is away on purpose, or its return is being planned and its lease holds: not silent, however long it was not
   * heard.
   */
  readonly isExcused: boolean;
  /** The zone would give it up now: its lease ran out, or its clients do not reach it, or the hold for it is over. */
  readonly isCandidate: boolean;
  readonly rack?: string;
};

/**
 * All members of a zone as the brakes see them, the deployment's lease in ms, and what its stations have against giving
 * one up, where it has some.
 */
export type Look = { readonly seen: readonly Seen[]; readonly leaseMs: number; readonly objects?: (one: Seen) => string | undefined };

/** The members that count, and how many of them are silent. */
export type Scene = {
  readonly zone: string;
  readonly now: EpochMs;
  readonly leaseMs: number;
  readonly nodes: readonly Seen[];
  readonly silent: readonly Seen[];
  /** Silent, and no remainder of a disruption that has ended. */
  readonly fresh: readonly Seen[];
};

/**
 * A member as the brakes see it; undefined for a row that is no member, and for one that an operator has replaced:
 * nobody expects to hear it. `leaseMs`: the deployment's lease, for one that has none.
 */
export function seenOf(node: Node, leaseMs: number, now: EpochMs): Seen | undefined {
  if (node.status === 'absent' || node.status === 'waiting' || node.status === 'dropped' || node.replacedBy) return undefined;
  const heardAt = node.heardAt ?? node.joinedAt;
  const held = node.status === 'leaving' && node.leaving.mode === 'hold' ? node.leaving : undefined;
  const { rack } = node.labels as { readonly rack?: string };
  return {
    id: node.id,
    ...(node.index !== undefined && { index: node.index }),
    fqdn: node.fqdn,
    status: node.status,
    heardAt,
    leaseMs: 'leaseUntil' in node && node.leaseUntil > heardAt ? node.leaseUntil - heardAt : leaseMs,
    ...('leaseUntil' in node && { leaseUntil: node.leaseUntil }),
    isExcused:
      (held !== undefined && held.until! > now) ||
      (node.status === 'down' && node.returning !== undefined && node.returning.leaseUntil > now),
    isCandidate: !('ordered' in node && node.ordered) && (node.status === 'suspect' || (held !== undefined && held.until! <= now)),
    ...(rack !== undefined && { rack }),
  };
}

/**
 * Whether a member is silent: it is suspect or down, or half of its lease is gone without a word. Nodes that fall
 * silent in one moment were last heard within one interval of each other, and so when the first one's lease runs out
 * half of everybody's is gone: that is how a zone knows with the first of them how many there are.
 */
export function isSilent({ status, heardAt, leaseMs, isExcused }: Seen, now: EpochMs): boolean {
  if (isExcused) return false;
  return status === 'suspect' || status === 'down' || now - heardAt > leaseMs / 2;
}

/** When it was silent for a whole lease. */
export const silentFor = ({ heardAt, leaseMs }: Seen): number => heardAt + leaseMs;

/** Whether its next word is late. */
export const isOverdue = (seen: Seen, now: EpochMs): boolean => !seen.isExcused && now - seen.heardAt > overdueMsOf(seen.leaseMs);

/** Those of the silent that fell silent within one lease of another. */
export function pairedOf(silent: readonly Seen[], leaseMs: number): Seen[] {
  const sorted = [...silent].sort((a, b) => a.heardAt - b.heardAt);
  return sorted.filter(
    ({ heardAt }, i) =>
      (i > 0 && heardAt - sorted[i - 1]!.heardAt <= leaseMs) || (i + 1 < sorted.length && sorted[i + 1]!.heardAt - heardAt <= leaseMs),
  );
}

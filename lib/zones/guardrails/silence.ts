import { overdueMsOf } from '../../core/lease.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';

/** One member of a zone as the guard-rails see it. They read all members whenever a silence may be a loss. */
export type Seen = {
  readonly id: string;
  /** Its index in the roster, under which stations report whether they hear it; absent until it has one. */
  readonly index?: number;
  readonly fqdn: string;
  readonly status: Node['status'];
  readonly heardAt: EpochMs;
  /** How long a heartbeat keeps it up: its own lease, in ms. */
  readonly leaseMs: number;
  /** When its lease runs out. The lease of a suspect still runs when its clients reported it early. */
  readonly leaseUntil?: EpochMs;
  /**
   * It is away on purpose, or its return is being planned and its lease holds. It does not count as silent, however
   * long it was not heard.
   */
  readonly isExcused: boolean;
  /** The zone would give it up now: its lease ran out, or its clients do not reach it, or its hold is over. */
  readonly isCandidate: boolean;
  readonly rack?: string;
};

/**
 * All members of a zone as the guard-rails see them, the deployment's lease in ms, and the stations' objection to
 * giving one up, where there are stations.
 */
export type Observation = {
  readonly seen: readonly Seen[];
  readonly leaseMs: number;
  readonly objects?: (one: Seen) => string | undefined;
};

/** The members that count, and how many of them are silent. */
export type Scene = {
  readonly zone: string;
  readonly now: EpochMs;
  readonly leaseMs: number;
  readonly nodes: readonly Seen[];
  readonly silent: readonly Seen[];
  /** Silent nodes that are no remainder of a disruption that has ended. */
  readonly fresh: readonly Seen[];
};

/**
 * A member as the guard-rails see it; undefined for a row that is no member, and for a node that an operator has
 * replaced, which need not be heard. `leaseMs`: the deployment's lease, for a node that has none.
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
 * Whether a member is silent: it is suspect or down, or half of its lease has passed without a heartbeat. Nodes that
 * fall silent in one moment were last heard within one interval of each other. So half of everyone's lease has passed
 * when the first lease runs out, and the first loss already shows how many nodes are silent.
 */
export function isSilent({ status, heardAt, leaseMs, isExcused }: Seen, now: EpochMs): boolean {
  if (isExcused) return false;
  return status === 'suspect' || status === 'down' || now - heardAt > leaseMs / 2;
}

/** When it was silent for a whole lease. */
export const silentFor = ({ heardAt, leaseMs }: Seen): number => heardAt + leaseMs;

/** Whether its next heartbeat is late. */
export const isOverdue = (seen: Seen, now: EpochMs): boolean => !seen.isExcused && now - seen.heardAt > overdueMsOf(seen.leaseMs);

/** The silent nodes that fell silent within one lease of another. */
export function pairedOf(silent: readonly Seen[], leaseMs: number): Seen[] {
  const sorted = [...silent].sort((a, b) => a.heardAt - b.heardAt);
  return sorted.filter(
    ({ heardAt }, i) =>
      (i > 0 && heardAt - sorted[i - 1]!.heardAt <= leaseMs) || (i + 1 < sorted.length && sorted[i + 1]!.heardAt - heardAt <= leaseMs),
  );
}

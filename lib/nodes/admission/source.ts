import { type EpochMs, hourMs, plusMs } from '../../core/time.ts';

/**
 * The most hosts without an admission that one source may bring into the pool in an hour: several racks that are
 * installed at once behind one address, but no flood. Larger installations use a token or a rule, which are not
 * counted.
 */
export const newHostsMax = 200;
/** The span that they are counted over. */
export const countedForMs = hourMs;

/** How many hosts a source brought into the pool since a moment. */
export type PoolSource = { readonly since: EpochMs; readonly hosts: number };

/**
 * One more host of this source; undefined when it has brought enough for this hour, which then ends at `since` +
 * {@link countedForMs}.
 */
export function withOneMore(before: PoolSource | undefined, now: EpochMs): PoolSource | undefined {
  if (!before || plusMs(before.since, countedForMs) <= now) return { since: now, hosts: 1 };
  return before.hosts >= newHostsMax ? undefined : { ...before, hosts: before.hosts + 1 };
}

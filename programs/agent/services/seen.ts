import type { ServiceTypeName } from '../../../lib/core/ids.ts';
import { type EpochMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import { type Fallen, fallen } from '../supervised/alone.ts';
import type { Life } from '../supervised/thing.ts';
import { idle, withHeld, withReport } from './fold.ts';
import { checkEveryOf, hasCheck } from './program.ts';
import { type Held, type ServicesState, wantedOf } from './state.ts';

/** The state of an instance: it runs, or it has ended, with its exit code as far as that is known. */
export type Seen = { readonly is: 'running'; readonly life: Life } | { readonly is: 'absent'; readonly exit?: number };
/** The state that was found of each. */
export type Look = ReadonlyMap<ServiceTypeName, Seen>;

/** How long an instance without a check runs before it counts as ready. */
const readyAfterMs = secondMs;

/** Takes the found state of an instance into the record, and reports what is new about it. */
export function seen(state: ServicesState, before: Held, found: Seen, now: EpochMs): ServicesState {
  if (found.is === 'absent') return ended(state, before, found.exit, now);
  const held: Held = { ...before, life: found.life, ...(before.killed && { seenAt: now }) };
  const next = found.life.born === before.life?.born && !held.killed ? state : withHeld(state, held);
  if (held.is !== 'starting' || now < plusMs(held.since, readyAfterMs)) return next;
  const wanted = wantedOf(state, held.service);
  return wanted && !hasCheck(wanted) ? ready(next, held, {}, now) : next;
}

/** Records and reports that the instance is ready; `where`: its address and version, if it has reported them. */
export function ready(state: ServicesState, held: Held, where: { address?: string; version?: string }, now: EpochMs): ServicesState {
  const wanted = wantedOf(state, held.service);
  const everyMs = wanted && checkEveryOf(wanted);
  const next: Held = { ...held, is: 'online', since: now, ...(everyMs !== undefined && { checkAt: plusMs(now, everyMs) }) };
  return withHeld(withReport(state, next, { type: 'service.started', data: where }, now), next);
}

/** Remembers an end for a restart, but not of a service inside the agent, or of one that announced its end. */
function fell(state: ServicesState, held: Held, now: EpochMs): Fallen {
  const startMs = wantedOf(state, held.service)?.startMs;
  return held.inside || held.announced || startMs === undefined ? {} : fallen(held, startMs, state, now);
}

/**
 * Records and reports an end. Muster judges it, because Muster knows whether it was wanted or announced. An instance
 * that was never ready has failed.
 */
function ended(state: ServicesState, held: Held, exit: number | undefined, now: EpochMs): ServicesState {
  const next = withHeld(state, { ...idle(held, now), ended: held.instance, ...fell(state, held, now) });
  if (held.is !== 'starting' || exit === undefined)
    return withReport(next, held, { type: 'service.stopped', data: { ...(exit !== undefined && { exit }) } }, now);
  const reason = `it ended while it was starting (exit status ${exit})`;
  return withReport(next, held, { type: 'service.failed', data: { reason, exit } }, now);
}

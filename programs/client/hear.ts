import { backoffMs } from '../../lib/api/backoff.ts';
import type { Fqdn } from '../../lib/core/ids.ts';
import { type EpochMs, plusMs, unreachable } from '../../lib/core/time.ts';
import type { Ran } from '../../lib/machine/command.ts';
import { type Answer, answered } from './answers.ts';
import { lookEveryMs, looked } from './looked.ts';
import type { CallName, ClientState } from './state.ts';

/** What can happen to a daemon. `random` is a number in [0, 1), drawn when it happened. */
export type Input =
  | { readonly type: 'tick' }
  /** A signal, or the release hook of our node, asks for a knock now. */
  | { readonly type: 'knock-now' }
  | Answer
  /** No answer, or a refusal; `unknown`: Muster does not know this machine. */
  | {
      readonly type: 'failed';
      readonly call: CallName;
      readonly why: string;
      readonly unknown: boolean;
      readonly retryAfterMs: number;
      readonly random: number;
    }
  | { readonly type: 'driven'; readonly ok: boolean; readonly why?: string; readonly random: number }
  /** What was started for this node is up, is not, or could not be looked at (`ran` is undefined). */
  | { readonly type: 'looked'; readonly fqdn: Fqdn; readonly ran: Ran | undefined; readonly random: number }
  | { readonly type: 'watched'; readonly fqdn: Fqdn; readonly ok: boolean; readonly random: number };

/** The state after an input, and the lines for the log. */
export type Heard = { readonly next: ClientState; readonly says: readonly string[] };

/** Misses in a row after which a node counts as lost: a single one may be a lost packet. */
export const missesMax = 2;

/** Folds an input into the state; `decide` then chooses what to do about it. */
export function hear(state: ClientState, input: Input, now: EpochMs): Heard {
  switch (input.type) {
    case 'tick':
      return { next: state, says: [] };
    case 'knock-now':
      return { next: knockAt(state, now), says: [] };
    case 'byte':
    case 'place':
    case 'no-place':
      return afterCall(answered({ ...state, failures: 0 }, input, now), now);
    case 'failed':
      return afterCall(failed(state, input, now), now);
    case 'driven':
      return driven(state, input, now);
    case 'looked':
      return looked(state, input, now);
    case 'watched':
      return watched(state, input, now);
    default:
      return unreachable(input);
  }
}

/** Makes a knock due now, or right after the call that is under way. */
const knockAt = (state: ClientState, now: EpochMs): ClientState =>
  state.calling ? { ...state, calling: { ...state.calling, again: true } } : { ...state, call: { name: 'knock', at: now } };

function afterCall({ next, says }: Heard, now: EpochMs): Heard {
  const { calling, ...rest } = next;
  return { next: calling?.again ? { ...rest, call: { name: 'knock', at: now } } : rest, says };
}

/**
 * Handles a failed call. Nothing changes on this machine because Muster could not be reached; the same call is tried
 * again later.
 */
function failed(state: ClientState, { call, why, unknown, retryAfterMs, random }: Extract<Input, { type: 'failed' }>, now: EpochMs): Heard {
  const failures = state.failures + 1;
  const at = plusMs(now, backoffMs(failures, random, { retryAfterMs }));
  const next = { ...state, failures, call: { name: unknown ? 'knock' : call, at } as const };
  // Only the first failure in a row is logged.
  return { next, says: failures === 1 ? [`${why}; trying again`] : [] };
}

function driven(state: ClientState, { ok, why, random }: Extract<Input, { type: 'driven' }>, now: EpochMs): Heard {
  const { drive } = state;
  if (drive.is !== 'starting' && drive.is !== 'stopping') return { next: state, says: [] };
  const failed = drive.is === 'starting' ? 'start' : 'stop';
  if (!ok) {
    const failures = drive.failures + 1;
    const notBefore = plusMs(now, backoffMs(failures, random));
    const next: ClientState = { ...state, drive: { is: 'unsure', fqdn: drive.fqdn, failures, failed, notBefore } };
    return { next, says: [`the driver failed at ${failed}${why === undefined ? '' : `: ${why}`}; trying again`] };
  }
  if (drive.is === 'stopping') {
    const { died: _over, ...rest } = state;
    return { next: { ...rest, drive: { is: 'off' } }, says: ['the driver has stopped'] };
  }
  // Software that ends again and again is started with growing pauses, until it has stayed up.
  const failures = state.look ? drive.failures : 0;
  const next: ClientState = {
    ...state,
    drive: { is: 'on', fqdn: drive.fqdn, failures, since: now },
    ...(state.look && { look: { ...state.look, at: plusMs(now, lookEveryMs), misses: 0 } }),
  };
  return { next: state.place?.fqdn === drive.fqdn ? knockAt(next, now) : next, says: [`the driver has started for ${drive.fqdn}`] };
}

function watched(state: ClientState, { fqdn, ok, random }: Extract<Input, { type: 'watched' }>, now: EpochMs): Heard {
  const { place } = state;
  const isLost = state.lostAt !== undefined;
  if (!place?.watch || place.fqdn !== fqdn) return { next: { ...state, watching: { ...state.watching, checking: false } }, says: [] };
  const misses = ok ? 0 : state.watching.misses + 1;
  const at = plusMs(now, Math.round(place.watch.everyMs * (0.9 + 0.2 * random)));
  const next: ClientState = { ...state, watching: { at, misses, checking: false } };
  if (ok && !isLost) return { next: { ...next, lostAt: undefined }, says: [] };
  // Muster may have assigned another node meanwhile, while the machine could not confirm this one.
  if (ok) return { next: knockAt({ ...next, lostAt: undefined }, now), says: [`${fqdn} answers again`] };
  if (isLost || misses < missesMax) return { next, says: [] };
  return { next: knockAt({ ...next, lostAt: now }, now), says: [`${fqdn} did not answer ${misses} times in a row`] };
}

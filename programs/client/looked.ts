import { backoffMs } from '../../lib/api/backoff.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../../lib/core/time.ts';
import type { Heard, Input } from './hear.ts';
import type { ClientState } from './state.ts';

/** How often to look whether the driven software is up. */
export const lookEveryMs = 30 * secondMs;
/** How soon to look again at software that is not up: an upgrade of its package may be restarting it. */
const againMs = 5 * secondMs;
/** How long software must stay up before its earlier ends are forgotten. */
export const steadyMs = 10 * minuteMs;

type Looked = Extract<Input, { type: 'looked' }>;

/**
 * Folds in a look at the driven software. Software that was not up twice in a row has ended by itself and is started
 * again. A minion ends when its master has rejected its key, even if the key is accepted a minute later.
 */
export function looked(state: ClientState, { fqdn, ran, random }: Looked, now: EpochMs): Heard {
  const { drive, look, died: before, ...rest } = state;
  if (!look) return { next: state, says: [] };
  const looksAfter = (ms: number, misses = 0) => ({ at: plusMs(now, ms), misses, checking: false });
  if (drive.is !== 'on' || drive.fqdn !== fqdn) return { next: { ...state, look: looksAfter(lookEveryMs) }, says: [] };
  const died = before && { died: before };
  if (ran === undefined || ran.ok) {
    const next = { ...rest, look: looksAfter(lookEveryMs) };
    if (now - drive.since < steadyMs) return { next: { ...next, drive, ...died }, says: [] };
    const says = died ? ['the driven software has stayed up since it was started again'] : [];
    return { next: { ...next, drive: { ...drive, failures: 0 } }, says };
  }
  if (look.misses === 0) return { next: { ...rest, drive, ...died, look: looksAfter(againMs, 1) }, says: [] };
  const failures = drive.failures + 1;
  const next: ClientState = {
    ...rest,
    look: looksAfter(lookEveryMs),
    drive: { is: 'unsure', fqdn, failures, failed: 'start', notBefore: plusMs(now, backoffMs(failures, random)) },
    died: { times: (before?.times ?? 0) + 1, at: now, why: ran.why },
  };
  return { next, says: before ? [] : [`the driven software ended by itself (${ran.why}); starting it again`] };
}

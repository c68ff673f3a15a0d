import { Refusal } from '../../../api/problem.ts';
import { Latest } from '../../../core/latest.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../../../core/time.ts';
import { cached, type Shell } from '../../../runtime/shell.ts';
import { type OnboardingToken, perMinuteOf } from '../onboarding-token.ts';
import { isShared, type Shared, shareOf } from '../rows/share.ts';

/** The last turn that this environment gave out for a token, and until when its shares accept no machine. */
type Turns = { lastAt: EpochMs; readonly fullUntil: Map<number, EpochMs> };

/** The furthest turn. Machines beyond it come back spread over the second half of the time until then. */
const furthestMs = 5 * minuteMs;
/** How many tokens an environment remembers turns of: only valid ones have any. */
const tokensMax = 1_000;

function turnsOf(shell: Pick<Shell, 'caches' | 'now'>, id: string): Turns {
  const all = cached(shell, 'onboarding turns', () => new Latest<string, Turns>(tokensMax));
  const known = all.get(id);
  if (known) return known;
  const made: Turns = { lastAt: shell.now(), fullUntil: new Map() };
  all.set(id, made);
  return made;
}

/**
 * Throws the {@link Refusal} of a machine whose share is known to accept none yet, before anything is written for its
 * call.
 */
export function awaitTurn(shell: Shell, token: OnboardingToken, fp: string): void {
  if (!isShared(token)) return;
  const waitMs = (turnsOf(shell, token.id).fullUntil.get(shareOf(fp, token)) ?? 0) - shell.now();
  if (waitMs > 0) throw outOfPace(shell, token, waitMs);
}

/**
 * The refusal of a machine whose share accepts none for so many ms; machines until then are refused without a write.
 */
export function refusedShare(shell: Shell, token: Shared, n: number, waitMs: number): Refusal {
  turnsOf(shell, token.id).fullUntil.set(n, plusMs(shell.now(), waitMs));
  return outOfPace(shell, token, waitMs);
}

/**
 * The refusal of a machine that comes sooner than its token accepts it. Turns are given out at the pace of the token,
 * one after the other, so that a site that is switched on at once comes back in order and not all together.
 */
function outOfPace(shell: Shell, token: OnboardingToken, waitMs: number): Refusal {
  const turns = turnsOf(shell, token.id);
  const now = shell.now();
  const perMinute = perMinuteOf(token);
  const turnMs = Math.max(turns.lastAt - now, waitMs) + minuteMs / perMinute;
  const isFar = turnMs > furthestMs;
  if (!isFar) turns.lastAt = plusMs(now, turnMs);
  const afterMs = isFar ? furthestMs * (0.5 + shell.random() / 2) : turnMs;
  return new Refusal(
    'onboarding-rate',
    `the onboarding token ${token.id} accepts ${perMinute} machines a minute, and more knock with it: wait, then knock again`,
    { headers: { 'retry-after': String(Math.ceil(afterMs / secondMs)) } },
  );
}

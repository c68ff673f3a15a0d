import { sourceText } from '../../core/address.ts';
import { write } from '../../core/decision.ts';
import { plusMs, secondMs } from '../../core/time.ts';
import { apply } from '../../runtime/apply.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { OnboardingToken } from '../onboarding-tokens/onboarding-token.ts';
import { unstored } from './reads.ts';
import { addedUp, type Refusals, type RefusedKnocks, refusalRows, refusalsMax, refusalsRef, shownForMs } from './refusal.ts';

/** A refused knock: why, from which address, and with which token, if it brought one that exists. */
export type Refused = {
  readonly id: string;
  readonly reason: string;
  readonly because?: string;
  readonly source: string;
  readonly token?: Pick<OnboardingToken, 'id' | 'zone'> | undefined;
};

/** How often an environment stores its refusals: a flood costs a write in so long. */
const storedEveryMs = 10 * secondMs;

/**
 * Counts a refused knock, in memory, and stores what was counted if the last time is long enough ago. Never throws: a
 * failure to store is logged, the counts stay for the next time, and the refusal is as it was.
 */
export async function noteRefused(shell: Shell, { id, reason, because, source, token }: Refused): Promise<void> {
  const now = shell.now();
  const known = unstored(shell);
  const one: RefusedKnocks = {
    reason,
    ...(because !== undefined && { because: because.slice(0, 160) }),
    source: sourceText(source),
    ...(token && { token: token.id, zone: token.zone }),
    count: 1,
    firstAt: now,
    lastAt: now,
  };
  known.refused = addedUp([one, ...known.refused], now).slice(0, refusalsMax);
  if (now - known.storedAt < storedEveryMs) return;
  known.storedAt = now;
  await store(shell, id);
}

async function store(shell: Shell, id: string): Promise<void> {
  const known = unstored(shell);
  const { refused } = known;
  known.refused = [];
  try {
    await apply(shell, refusalsRef(rowOf(id)), { id }, (before, _input, now) => {
      const next = addedUp([...(before?.refused ?? []), ...refused], now).slice(0, refusalsMax);
      return write<Refusals, never>({ refused: next }, 'knocks were refused', { expiresAt: plusMs(now, shownForMs) });
    });
  } catch (error) {
    known.refused = addedUp([...known.refused, ...refused], shell.now()).slice(0, refusalsMax);
    shell.log('warn', 'refusals.unstored', { id, detail: error instanceof Error ? error.message : String(error) });
  }
}

/** The row that a call is noted in: by its id, which no two calls share. */
const rowOf = (id: string): number => [...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % refusalRows;

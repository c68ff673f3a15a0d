import type { OnboardingToken } from '../../../../lib/clients/onboarding-tokens/onboarding-token.ts';
import { isShared, paceOf, type TokenShare } from '../../../../lib/clients/onboarding-tokens/rows/share.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';

/** A site that is switched on at once comes in at the pace of its token. */
export const tokenPace: Invariant = {
  name: 'an-onboarding-token-keeps-its-pace',
  says: 'within a minute, a token with shares accepts no more machines than its pace, and what its shares accept at once after a pause, in all environments together',
  begin: ({ violated }) => {
    const tokens = new Map<string, OnboardingToken>();
    /** When each token accepted machines. */
    const accepted = new Map<string, number[]>();
    return {
      committed: (changes) => {
        for (const { before, after, at } of changes) {
          const [lead, id = ''] = after.key.pk.split('#');
          if (lead !== 'onboarding-token') continue;
          if (after.key.sk === 'onboarding-token') tokens.set(id, after.body as OnboardingToken);
          const token = tokens.get(id);
          const used = (body: unknown): number => (body as TokenShare | undefined)?.used ?? 0;
          if (!token || !isShared(token) || !after.key.sk.startsWith('share#') || used(after.body) === used(before?.body)) continue;
          const lately = [...(accepted.get(id) ?? []).filter((one) => one > at - minuteMs), at];
          accepted.set(id, lately);
          // A minute is longer where clocks differ.
          const { perSecond, burst } = paceOf(token);
          const most = token.shares * (perSecond * ((minuteMs + 2 * skewMs) / 1_000) + burst);
          if (lately.length > most) violated(`${id} accepted ${lately.length} machines within a minute, of ${most.toFixed(1)} at the most`);
        }
      },
    };
  },
};

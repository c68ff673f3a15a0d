import type { SweepRow } from '../../../lib/sweep/lateness.ts';
import type { Invariant } from './invariant.ts';
import { leaseMs } from './lease-given.ts';
import { skewMs } from './rows.ts';

/** A sweep that is late time and again is slow, not asleep: were it excused for ever, a dead node would never be missed. */
export const grace: Invariant = {
  name: 'grace-is-granted-once',
  says: 'a grace begins only when no sweep began for longer than a heartbeat, lasts one lease, and is followed by as long without',
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const { before, after } of changes) {
        if (after.key.sk !== 'sweep') continue;
        const { graceUntil, sweptAt } = after.body as SweepRow;
        const last = before?.body as SweepRow | undefined;
        if (graceUntil === undefined || graceUntil === last?.graceUntil) continue;
        const idleMs = sweptAt - (last?.sweptAt ?? Number.POSITIVE_INFINITY);
        if (!(idleMs > 10_000)) violated(`a grace although the last sweep began ${idleMs} ms ago`);
        if (graceUntil > sweptAt + leaseMs) violated(`a grace of ${graceUntil - sweptAt} ms`);
        if (last?.graceUntil !== undefined && sweptAt < last.graceUntil + leaseMs - skewMs)
          violated(`a grace again ${sweptAt - last.graceUntil} ms after one has ended`);
      }
    },
  }),
};

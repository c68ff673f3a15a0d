import { nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { zonesKnown } from '../../deployment/reads.ts';
import { apply } from '../../runtime/apply.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { restsFor } from '../rest.ts';
import { countsRef } from '../zone.ts';

/**
 * Among many zones, one in which nothing changes is counted seldom, and who is not counted has no turn and costs no
 * budget when a node is lost. So whoever tells a client system its place says that its zone is to be counted as soon as
 * in a deployment of few: one write per environment and count, and none where zones do not rest. How many there are is
 * known to who names places, from the intervals that it tells.
 */
export async function countSoon(shell: Shell, zone: string): Promise<void> {
  const { countEveryMs } = shell.settings;
  if (restsFor(countEveryMs, zonesKnown(shell)) <= countEveryMs) return;
  const said = cached(shell, 'countSoon', () => new Map<string, EpochMs>());
  const now = shell.now();
  if (now - (said.get(zone) ?? 0) < countEveryMs) return;
  const input = { id: `count-soon-${shell.newId()}` };
  await apply(shell, countsRef(zone), input, (counts, _input, at) =>
    counts ? write(counts, 'client systems were told a place', { wakeAt: plusMs(at, countEveryMs) }) : nothing('no such zone is counted'),
  );
  said.set(zone, now);
}

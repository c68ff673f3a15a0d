import { nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { zonesKnown } from '../../deployment/reads.ts';
import { apply } from '../../runtime/apply.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { restsFor } from '../rest.ts';
import { countsRef } from '../zone.ts';

/**
 * Makes a zone due for a count as soon as in a deployment of few zones; called when a client system is assigned a
 * place. Among many zones, an unchanged one is counted rarely, and a client system that is not counted has no turn and
 * costs no budget when a node is lost. It costs one write per environment and count, and none where zones do not rest.
 * The caller that assigns places knows the number of zones from the intervals that it gives out.
 */
export async function countSoon(shell: Shell, zone: string): Promise<void> {
  const { countEveryMs } = shell.settings;
  if (restsFor(countEveryMs, zonesKnown(shell)) <= countEveryMs) return;
  const requestedAt = cached(shell, 'countSoon', () => new Map<string, EpochMs>());
  const now = shell.now();
  if (now - (requestedAt.get(zone) ?? 0) < countEveryMs) return;
  const input = { id: `count-soon-${shell.newId()}` };
  await apply(shell, countsRef(zone), input, (counts, _input, at) =>
    counts ? write(counts, 'client systems were assigned a node', { wakeAt: plusMs(at, countEveryMs) }) : nothing('the zone has no count'),
  );
  requestedAt.set(zone, now);
}

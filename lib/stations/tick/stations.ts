import type { Tick } from '../../core/decision.ts';
import { restUntil } from '../../runtime/rest.ts';
import type { Shell } from '../../runtime/shell.ts';
import { passTime } from '../changes.ts';
import { stationsRef } from '../stations.ts';

/** Applies the passing of time to the stations of a zone: leases run out, and another station coordinates. */
export async function tickStations(shell: Shell, zone: string, tick: Tick): Promise<void> {
  const { decision, row } = await passTime(shell, zone, tick);
  if (decision.does === 'nothing') await restUntil(shell, stationsRef(zone), { ...decision, rev: row?.rev ?? 0 });
}

import type { ZoneName } from '../../core/ids.ts';
import type { Row } from '../../ports/table/table.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { clusterRef, fidsRef, newCluster, type StorageCluster } from '../clusters/cluster.ts';
import type { Held } from './garbage.ts';
import { garbageRef, loadRef } from './load.ts';
import type { LoadGround } from './plan.ts';

/** A row as plans hold it. */
export const heldOf = <S>(row: Row | undefined, shell: Shell): Held<S> => ({
  state: stateOf<S>(row, shell.now()),
  rev: row?.rev ?? 0,
  wakeAt: row?.wakeAt,
});

/** The rows that loads begin and end with. */
export async function groundOf(reading: Reading, zone: ZoneName, shell: Shell): Promise<LoadGround> {
  const [cluster, load, fids, garbage] = await reading.rows([clusterRef(zone), loadRef(zone), fidsRef(zone), garbageRef(zone)]);
  const held = heldOf<StorageCluster>(cluster, shell);
  return {
    cluster: { ...held, state: held.state ?? newCluster(zone, shell.now()) },
    load: heldOf(load, shell),
    // Numbers continue after those of an earlier zone of this name.
    fids: { state: fids?.body, rev: fids?.rev ?? 0 },
    garbage: heldOf(garbage, shell),
  };
}

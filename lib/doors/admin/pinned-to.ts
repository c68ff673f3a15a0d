import type { Node } from '../../nodes/node.ts';
import type { Shell } from '../../runtime/shell.ts';
import { pinnedTo } from '../../zones/pins.ts';
import { zoneOf } from '../zones.ts';

/** How many client systems wait for this node and no other, by the zone as this environment has it, or as `read` gives it. */
export async function pinnedHardTo(shell: Shell, { zone: name, index }: Node, read: typeof zoneOf = zoneOf): Promise<number> {
  const zone = index === undefined ? undefined : await read(shell, name);
  return zone ? pinnedTo(zone.pins, index!).reduce((sum, { hard }) => sum + hard, 0) : 0;
}

/** So many, in words. */
export const systemsSaid = (n: number): string => `${n} client system${n === 1 ? '' : 's'}`;

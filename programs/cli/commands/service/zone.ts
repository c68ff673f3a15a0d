import type { Command } from 'commander';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { zoneOption } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { type ZoneChoice, zonesSeen } from '../mero/zone.ts';

export type { ZoneChoice } from '../mero/zone.ts';

/** Adds --zone to a verb about services or stations, which zones of any kind may have. */
export const inServiceZone = (command: Command): Command =>
  command.addOption(zoneOption('the zone; not needed if there is only one, or only one storage zone'));

/** The zone that such a verb is about. Throws a {@link Failure} that names them when there are several it could be. */
export async function serviceZone(cli: Cli, { zone }: ZoneChoice): Promise<ZoneView['name']> {
  if (zone !== undefined) return zone;
  const items = await zonesSeen(cli);
  const storage = items.filter(({ kind }) => kind === 'storage');
  const only = items.length === 1 ? items[0] : storage.length === 1 ? storage[0] : undefined;
  if (only) return only.name;
  const names = items.map(({ name }) => name).join(', ');
  throw new Failure(
    exitCodes.usage,
    items.length === 0 ? 'there is no zone' : `there are several zones: ${names}`,
    'Choose one: --zone NAME',
  );
}

import type { Command } from 'commander';
import { contract } from '../../../lib/api/contract.ts';
import type { ZoneView } from '../../../lib/api/views.ts';
import { zoneOption } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { follow } from '../../pages.ts';

/** What a verb with {@link inServiceZone} is given. */
export type ZoneChoice = { readonly zone?: ZoneView['name'] };

/** Adds --zone to a verb about services. */
export const inServiceZone = (command: Command): Command =>
  command.addOption(zoneOption('the zone that it is about: the only one there is, or the only storage zone, unless told otherwise'));

/** The zone that a verb about services is about. Throws a {@link Failure} that names them when there are several it could be. */
export async function serviceZone(cli: Cli, { zone }: ZoneChoice): Promise<ZoneView['name']> {
  if (zone !== undefined) return zone;
  const { items } = await follow<ZoneView>(
    Number.POSITIVE_INFINITY,
    async (at) => (await cli.call(contract.listZones, { query: at })).body,
  );
  const storage = items.filter(({ kind }) => kind === 'storage');
  const only = items.length === 1 ? items[0] : storage.length === 1 ? storage[0] : undefined;
  if (only) return only.name;
  const names = items.map(({ name }) => name).join(', ');
  throw new Failure(
    exitCodes.usage,
    items.length === 0 ? 'there is no zone' : `there are several zones: ${names}`,
    'Say which: --zone NAME',
  );
}

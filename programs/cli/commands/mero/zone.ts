import type { Command } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { zoneOption } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { collect } from '../../pages.ts';

/** The option of a verb with {@link inStorageZone}. */
export type ZoneChoice = { readonly zone?: ZoneView['name'] };

/** Adds --zone to a verb about a storage cluster. */
export const inStorageZone = (command: Command): Command =>
  command.addOption(zoneOption('the storage zone; not needed if there is only one'));

/** All zones that the caller sees, page by page. */
export const zonesSeen = async (cli: Cli): Promise<readonly ZoneView[]> =>
  (await collect<ZoneView>(Number.POSITIVE_INFINITY, async (at) => (await cli.call(contract.listZones, { query: at })).body)).items;

/**
 * The storage zone that a verb is about: as given, or the only one. Throws a {@link Failure} that names them when there
 * are none or several.
 */
export async function storageZone(cli: Cli, { zone }: ZoneChoice): Promise<ZoneView['name']> {
  if (zone !== undefined) return zone;
  const names = (await zonesSeen(cli)).filter(({ kind }) => kind === 'storage').map(({ name }) => name);
  if (names.length === 1) return names[0]!;
  if (names.length === 0) throw new Failure(exitCodes.usage, 'there is no storage zone', 'Create one: zone create NAME --kind storage');
  throw new Failure(exitCodes.usage, `there are several storage zones: ${names.join(', ')}`, 'Choose one: --zone NAME');
}

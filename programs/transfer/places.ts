import { closeSync, existsSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MusterError } from '../../lib/core/errors.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { folderAt } from '../../lib/machine/folder.ts';
import { wantOwnFile, wantOwnPlace } from '../../lib/machine/own.ts';
import { objectsIn } from '../../lib/ports/objects/folder.ts';
import { wholeFile } from '../../lib/ports/storage/whole-file.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import type { WholeSource, WholeTarget } from '../../lib/ports/table/whole.ts';
import { awsWhole, type DynamoWhole } from '../../lib/runtime/aws-whole.ts';
import { keepName, nameIn } from '../local/name.ts';
import type { Exported } from './export.ts';
import type { Importing } from './import.ts';
import { markerKey, refuseHalf } from './marker.ts';

/** Where a deployment is: the state folder of an embedded one, or the name of its table in DynamoDB. */
export type Place = { readonly home: string } | { readonly table: string };

/** The clock and the timer of the machine. */
export type Surroundings = { readonly now: () => EpochMs; readonly sleep: (ms: number) => Promise<void> };

const stateFileOf = (home: string): string => join(home, 'muster.db');

/** How a place is named in messages. */
export const placeName = (place: Place): string => ('home' in place ? place.home : `table ${place.table}`);

/**
 * The embedded deployment of a state folder. Throws a MusterError `state.none` where there is none, or what opening it
 * throws.
 */
export function fromHome(home: string): Exported {
  const deployment = nameIn(folderAt(home));
  if (!existsSync(stateFileOf(home)) || deployment === undefined)
    throw new MusterError('state.none', `${home} holds no deployment: a state folder has muster.db and deployment in it`, 'never');
  wantOwnFile(stateFileOf(home));
  return { source: wholeFile(stateFileOf(home)), deployment, where: home };
}

/**
 * The deployment of a table, staged in a state file beside `file`: a table gives its rows in no order, and has no
 * consistent snapshot. A second walk through the table checks that nothing was written meanwhile. `remove` deletes the
 * staged file. Throws a MusterError `export.moving` when something was written.
 */
export async function fromTable(
  { table, deployment, file }: { table: string; deployment: string; file: string },
  surroundings: Surroundings,
): Promise<Exported & { readonly remove: () => Promise<void> }> {
  const whole = awsWhole(table, surroundings.sleep);
  const folder = await mkdtemp(join(dirname(file), '.muster-export-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  let staged: (WholeSource & WholeTarget) | undefined;
  try {
    await refuseHalf(whole, `table ${table}`);
    staged = wholeFile(join(folder, 'muster.db'));
    await copied(whole, staged, surroundings.now());
    await refuseMoving(whole, staged);
    return { source: staged, deployment, where: `table ${table}`, remove };
  } catch (error) {
    staged?.close();
    await remove();
    throw error;
  } finally {
    whole.close();
  }
}

async function copied(whole: DynamoWhole, staged: WholeTarget, at: EpochMs): Promise<void> {
  const marker: Row = { key: markerKey, rev: 1, body: {}, at, by: 'export', because: 'a table is being read', events: [], eventSeq: 0 };
  await staged.begin(marker);
  for await (const row of whole.scan()) await staged.storeRows([row]);
  await staged.commit(undefined);
  await staged.settle(markerKey);
}

/**
 * Walks through a table again. A row that is gone has expired, which is no commit. Throws a MusterError `export.moving`
 * for a row that is new, or has another revision than before.
 */
export async function refuseMoving(whole: Pick<DynamoWhole, 'seen'>, staged: Pick<WholeSource, 'read'>): Promise<void> {
  for await (const { key, rev } of whole.seen())
    if ((await staged.read(key))?.rev !== rev)
      throw new MusterError(
        'export.moving',
        `row ${key.pk}|${key.sk} was written while the table was read: stop the deployment first`,
        'later',
      );
}

/** The target of an import; makes a state folder. The caller closes it. */
export function target(place: Place, surroundings: Surroundings): Pick<Importing, 'target' | 'keepName' | 'where'> {
  if ('table' in place) return { target: awsWhole(place.table, surroundings.sleep), keepName: () => undefined, where: placeName(place) };
  const folder = folderAt(place.home);
  wantOwnPlace(place.home);
  // The file is made before it is opened, so that only its owner can read it; its log takes its mode.
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  wantOwnFile(stateFileOf(place.home));
  closeSync(openSync(stateFileOf(place.home), 'a', 0o600));
  const whole = wholeFile(stateFileOf(place.home));
  // What was made of other rows: it would be recognised as that, but is of no use.
  rmSync(objectsIn(place.home), { recursive: true, force: true });
  return { target: whole, keepName: (name) => keepName(folder, name), where: place.home };
}

/** The name of the deployment in a place, where the place stores it. */
export const nameAt = (place: Place): string | undefined => ('home' in place ? nameIn(folderAt(place.home)) : undefined);

import { Unusable } from '../../lib/machine/command-line.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { HeldDesired, Table } from './state.ts';

const tableFile = 'services.json';
const desiredFile = 'services-desired.json';

/** The services of this host as they stood when its agent last wrote; undefined when there were none. Throws {@link Unusable} when that is damaged. */
export function readTable(folder: Folder): Table | undefined {
  const text = folder.read(tableFile);
  if (text === undefined) return undefined;
  const read = Table.safeParse(parsed(text));
  if (!read.success)
    throw new Unusable(
      `${folder.path}/${tableFile} is damaged; put it back from a backup, or end the services of this host and remove the file`,
    );
  return read.data;
}

/** Replaces the table, which is given as its text. */
export const writeTable = (folder: Folder, table: string): void => folder.write(tableFile, `${table}\n`);

/** What the agent was told last of its services; one that cannot be read counts as none, since Muster tells it again. */
export const readHeldDesired = (folder: Folder): HeldDesired | undefined =>
  HeldDesired.safeParse(parsed(folder.read(desiredFile) ?? '')).data;

/** Replaces what the agent was told. */
export const writeHeldDesired = (folder: Folder, desired: HeldDesired): void => folder.write(desiredFile, `${JSON.stringify(desired)}\n`);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

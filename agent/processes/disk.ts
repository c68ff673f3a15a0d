import { Unusable } from '../../lib/machine/command-line.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import { HeldDesired, Table } from './state.ts';

const tableFile = 'processes.json';
const desiredFile = 'processes-desired.json';

/** The processes of this host as they stood when its agent last wrote; undefined when there were none. Throws {@link Unusable} when that is damaged. */
export function readTable(folder: Folder): Table | undefined {
  const text = folder.read(tableFile);
  if (text === undefined) return undefined;
  const read = Table.safeParse(parsed(text));
  if (!read.success)
    throw new Unusable(
      `${folder.path}/${tableFile} is damaged; put it back from a backup, or stop the processes of this host and remove the file`,
    );
  return read.data;
}

/** Replaces the table. */
export const writeTable = (folder: Folder, table: Table): void => folder.write(tableFile, `${JSON.stringify(table)}\n`);

/** What the agent was told last of its processes; one that cannot be read counts as none, since Muster tells it again. */
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

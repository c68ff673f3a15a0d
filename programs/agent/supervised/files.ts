import type * as z from 'zod';
import { jsonIn } from '../../../lib/core/json.ts';
import { Unusable } from '../../../lib/machine/command-line.ts';
import type { Folder } from '../../../lib/machine/folder.ts';

/**
 * The files about one kind of things on a host: `name` begins the names of both, `instead` tells an operator what to do
 * when the table is damaged.
 */
type FileOptions<T extends z.ZodType, D extends z.ZodType> = {
  readonly name: string;
  readonly instead: string;
  readonly table: T;
  readonly desired: D;
};

/**
 * The two files about one kind of things on a host: the table of what runs, which must be undamaged, and the last
 * desired state, which Muster sends again.
 */
export const recordFiles = <T extends z.ZodType, D extends z.ZodType>({ name, instead, table, desired }: FileOptions<T, D>) => ({
  /**
   * The table as the agent wrote it last; undefined when there was none. Throws {@link Unusable} when it is damaged.
   */
  readTable(folder: Folder): z.infer<T> | undefined {
    const text = folder.read(`${name}.json`);
    if (text === undefined) return undefined;
    const read = table.safeParse(jsonIn(text));
    if (!read.success)
      throw new Unusable(`${folder.path}/${name}.json is damaged: restore it from a backup, or ${instead} and remove the file`);
    return read.data;
  },
  /** Replaces the table by this text. */
  writeTable: (folder: Folder, text: string): void => folder.write(`${name}.json`, `${text}\n`),
  /** The last desired state; one that cannot be read counts as none. */
  readHeldDesired: (folder: Folder): z.infer<D> | undefined => desired.safeParse(jsonIn(folder.read(`${name}-desired.json`))).data,
  /** Replaces the desired state. */
  writeHeldDesired: (folder: Folder, assigned: z.infer<D>): void => folder.write(`${name}-desired.json`, `${JSON.stringify(assigned)}\n`),
});

import type * as z from 'zod';
import { Unusable } from '../../../lib/machine/command-line.ts';
import type { Folder } from '../../../lib/machine/folder.ts';

/**
 * What is kept of whatever runs on a host: `name` begins its two files, `instead` says what an operator may do when the
 * table is damaged.
 */
type Kept<T extends z.ZodType, D extends z.ZodType> = {
  readonly name: string;
  readonly instead: string;
  readonly table: T;
  readonly desired: D;
};

/**
 * The two files of what runs on a host: the table of it, which must be whole, and what the agent was told last, which
 * Muster tells again.
 */
export const keptFiles = <T extends z.ZodType, D extends z.ZodType>({ name, instead, table, desired }: Kept<T, D>) => ({
  /**
   * The table as the agent wrote it last; undefined when there was none. Throws {@link Unusable} when that is damaged.
   */
  readTable(folder: Folder): z.infer<T> | undefined {
    const text = folder.read(`${name}.json`);
    if (text === undefined) return undefined;
    const read = table.safeParse(parsed(text));
    if (!read.success)
      throw new Unusable(`${folder.path}/${name}.json is damaged; put it back from a backup, or ${instead} and remove the file`);
    return read.data;
  },
  /** Replaces the table, which is given as its text. */
  writeTable: (folder: Folder, text: string): void => folder.write(`${name}.json`, `${text}\n`),
  /** What the agent was told last; one that cannot be read counts as none. */
  readHeldDesired: (folder: Folder): z.infer<D> | undefined => desired.safeParse(parsed(folder.read(`${name}-desired.json`) ?? '')).data,
  /** Replaces what the agent was told. */
  writeHeldDesired: (folder: Folder, told: z.infer<D>): void => folder.write(`${name}-desired.json`, `${JSON.stringify(told)}\n`),
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

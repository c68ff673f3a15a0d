import * as z from 'zod';
import type { Folder } from '../../../lib/machine/folder.ts';
import { Batch } from '../../../lib/uyuni/outbox/batch.ts';
import { SourceId } from '../../../lib/uyuni/outbox/source.ts';

const memoryFile = 'uyuni.json';

/**
 * What the agent remembers of a server's outbox. `pending` is a batch that was read, with the number of its report: it
 * is sent again, as it was, until it was taken and its rows are deleted, so that a crash in between doubles nothing.
 */
export const OutboxMemory = z.strictObject({
  version: z.literal(1),
  /** Whose count the numbers of reports are: another one once nothing is remembered. */
  source: SourceId,
  /** The number of the last report. */
  seq: z.int().nonnegative(),
  pending: Batch.optional(),
  /** Why the outbox is being emptied and everything looked at, until that is known to be done. */
  emptying: z.string().optional(),
  /** The highest number of a transaction that was read, in decimal digits: below it this database never falls. */
  xid: z.string().regex(/^\d+$/).optional(),
});
export type OutboxMemory = z.infer<typeof OutboxMemory>;

/**
 * The memory in a folder. An agent of which none can be read does not know what was missed, and looks at everything;
 * `newSource` makes the name of its count.
 */
export function readOutboxMemory(folder: Folder, newSource: () => string): OutboxMemory {
  const none: OutboxMemory = { version: 1, source: newSource(), seq: 0, emptying: 'nothing is remembered of what was read before' };
  const text = folder.read(memoryFile);
  if (text === undefined) return none;
  try {
    const read = OutboxMemory.safeParse(JSON.parse(text));
    return read.success ? read.data : none;
  } catch (error) {
    if (error instanceof SyntaxError) return none;
    throw error;
  }
}

/** Replaces the memory. */
export const writeOutboxMemory = (folder: Folder, memory: OutboxMemory): void => folder.write(memoryFile, `${JSON.stringify(memory)}\n`);

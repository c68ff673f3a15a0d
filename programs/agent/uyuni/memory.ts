import * as z from 'zod';
import type { Folder } from '../../../lib/machine/folder.ts';
import { Batch } from '../../../lib/uyuni/outbox/batch.ts';

const memoryFile = 'uyuni.json';

/**
 * What the agent remembers of a server's outbox. `pending` is a batch that was read, with the number of its report: it
 * is sent again, as it was, until it was taken and its rows are deleted, so that a crash in between doubles nothing.
 */
export const OutboxMemory = z.strictObject({
  version: z.literal(1),
  /** The number of the last report. */
  seq: z.int().nonnegative(),
  pending: Batch.optional(),
  /** The highest number of a transaction that was read, in decimal digits: below it this database never falls. */
  xid: z.string().regex(/^\d+$/).optional(),
});
export type OutboxMemory = z.infer<typeof OutboxMemory>;

/**
 * The memory in a folder; undefined where there is none that can be read. What was pending is then read from the outbox
 * again, and reported under another number: a look at the same things.
 */
export function readOutboxMemory(folder: Folder): OutboxMemory | undefined {
  const text = folder.read(memoryFile);
  if (text === undefined) return undefined;
  try {
    const read = OutboxMemory.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Replaces the memory. */
export const writeOutboxMemory = (folder: Folder, memory: OutboxMemory): void => folder.write(memoryFile, `${JSON.stringify(memory)}\n`);

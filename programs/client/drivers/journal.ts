import * as z from 'zod';
import { Unusable } from '../../../lib/machine/command-line.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { Root } from './root.ts';
import type { Found, Step } from './steps.ts';
import { isRunning } from './steps.ts';

const journalFile = 'driving.json';

/** A file's bytes in base64, since they need not be text, and whose it is. */
const Bytes = z.strictObject({ base64: z.base64(), mode: z.int(), uid: z.int(), gid: z.int() });

/**
 * What a run is about to change, and how it was: written before the first step, removed after the last. Whoever finds
 * one knows that a run was cut off, and puts things back. `after`: what the run writes; absent where it removes the
 * file.
 */
export const Journal = z.strictObject({
  version: z.literal(1),
  kind: z.string(),
  files: z.array(z.strictObject({ file: z.string(), before: Bytes.optional(), after: z.base64().optional() })),
  /** The units in the order in which they are started, and whether they worked. */
  units: z.array(z.strictObject({ unit: z.string(), ran: z.boolean() })),
});
export type Journal = z.infer<typeof Journal>;

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

/** The journal of a run that is about to take these steps. */
export function journalOf(kind: string, { units }: Found, steps: readonly Step[], root: Root): Journal {
  const files = steps.flatMap((step) => (step.do === 'write' || step.do === 'remove' ? [step] : []));
  return {
    version: 1,
    kind,
    files: files.map((step) => {
      const found = root.read(step.file);
      return {
        file: step.file,
        ...(found && { before: { base64: base64(found.text), mode: found.mode, uid: found.uid, gid: found.gid } }),
        ...(step.do === 'write' && { after: base64(step.found.text) }),
      };
    }),
    units: units.map(({ unit, state }) => ({ unit, ran: isRunning(state) })),
  };
}

/** The journal of a run that was cut off; undefined when none was. Throws {@link Unusable} when it cannot be read. */
export function readJournal(folder: Folder): Journal | undefined {
  const text = folder.read(journalFile);
  if (text === undefined) return undefined;
  try {
    return Journal.parse(JSON.parse(text));
  } catch {
    throw new Unusable(
      `${folder.path}/${journalFile} is damaged: a run was cut off and cannot be undone; see to the machine's configuration, then remove the file`,
    );
  }
}

/** Writes down what is about to happen; it is on disk when this returns. */
export const writeJournal = (folder: Folder, journal: Journal): void => folder.write(journalFile, `${JSON.stringify(journal)}\n`);

/** The run has ended, or is undone. Should a power cut bring the journal back, it is undone again, and driven again. */
export const removeJournal = (folder: Folder): void => folder.remove(journalFile);

/**
 * Puts the files of a run back as they were; gives those that somebody else has changed since, which are left alone.
 */
export function restoreFiles({ files }: Journal, root: Root): string[] {
  const others: string[] = [];
  for (const { file, before, after } of files) {
    const now = root.read(file);
    const text = now && base64(now.text);
    if (text === before?.base64) continue;
    // A cache that came anew is of the node that is being left again.
    if (after !== undefined && text !== after) others.push(file);
    else if (before) root.write(file, { ...before, text: Buffer.from(before.base64, 'base64').toString('latin1') });
    else root.remove(file);
  }
  return others;
}

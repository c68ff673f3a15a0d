import * as z from 'zod';
import { Unusable } from '../../../lib/machine/command-line.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { Root } from './root.ts';
import type { Found, Step } from './steps.ts';
import { isRunning } from './steps.ts';

const journalFile = 'driving.json';

/** A file's bytes, in base64 because they need not be text, with its mode and owner. */
const Bytes = z.strictObject({ base64: z.base64(), mode: z.int(), uid: z.int(), gid: z.int() });

/**
 * The state before a run of everything that the run changes. The journal is written before the first step and removed
 * after the last, so one on disk means a run that was cut off and must be undone. `after`: the text that the run
 * writes; absent where it removes the file.
 */
export const Journal = z.strictObject({
  version: z.literal(1),
  kind: z.string(),
  files: z.array(z.strictObject({ file: z.string(), before: Bytes.optional(), after: z.base64().optional() })),
  /** The units in the order in which they are started, and whether each was running. */
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
      `${folder.path}/${journalFile} is damaged: a run was cut off and cannot be undone; check the machine's configuration, then remove the file`,
    );
  }
}

/** Stores the journal; it is on disk when this returns. */
export const writeJournal = (folder: Folder, journal: Journal): void => folder.write(journalFile, `${JSON.stringify(journal)}\n`);

/**
 * Removes the journal of a run that has ended or is undone. If a power cut brings the journal back, the run is undone
 * and repeated.
 */
export const removeJournal = (folder: Folder): void => folder.remove(journalFile);

/** Restores the files of a run. Gives those that something else has changed since; they are left alone. */
export function restoreFiles({ files }: Journal, root: Root): string[] {
  const others: string[] = [];
  for (const { file, before, after } of files) {
    const now = root.read(file);
    const text = now && base64(now.text);
    if (text === before?.base64) continue;
    // A cache that has appeared again belongs to the node that the machine leaves again.
    if (after !== undefined && text !== after) others.push(file);
    else if (before) root.write(file, { ...before, text: Buffer.from(before.base64, 'base64').toString('latin1') });
    else root.remove(file);
  }
  return others;
}

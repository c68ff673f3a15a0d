import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochMs } from '../../lib/core/time.ts';
import { openStorage, type Storage } from '../../lib/ports/storage/storage.ts';
import { noon } from '../../tools/support/a-row.ts';

/** A folder of a test's own, with the state files in it. */
export type StateFolder = {
  readonly file: string;
  /** Opens the state file, or another one of the folder; closed with the folder if not before. */
  readonly open: (options?: { name?: string; now?: () => EpochMs }) => Storage;
  readonly remove: () => void;
};

/** Makes a new folder for state files. */
export function aStateFolder(): StateFolder {
  const folder = mkdtempSync(join(tmpdir(), 'muster-state-'));
  const opened: Storage[] = [];
  const fileOf = (name: string): string => join(folder, name);
  return {
    file: fileOf('muster.sqlite'),
    open: ({ name = 'muster.sqlite', now = () => noon } = {}) => {
      const storage = openStorage({ file: fileOf(name), now, defer: (run) => void setImmediate(run) });
      opened.push(storage);
      return storage;
    },
    remove: () => {
      for (const storage of opened) storage.close();
      rmSync(folder, { recursive: true });
    },
  };
}

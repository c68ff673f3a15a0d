import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochMs } from '../../../../lib/core/time.ts';
import type { WholeSource, WholeTarget } from '../../../../lib/ports/table/whole.ts';
import { exportTo } from '../../../../programs/transfer/export.ts';
import { checked, type Importing, importFrom } from '../../../../programs/transfer/import.ts';
import { noon } from '../../../../tools/support/a-row.ts';

/** A folder of a test's own. */
export function aFolder() {
  const path = mkdtempSync(join(tmpdir(), 'muster-transfer-'));
  let made = 0;
  return {
    /** The path of a file that is not there. */
    newFile: (name = 'file') => {
      made += 1;
      return join(path, `${made}-${name}`);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Exports as the deployment `acme` of noon; the file's bytes. */
export async function exported(source: WholeSource, file: string, at: EpochMs = noon): Promise<Buffer> {
  await exportTo(file, { source, deployment: 'acme', where: 'here' }, at);
  return readFileSync(file);
}

/** Imports into an empty target, tokens and all, unless told otherwise; which names were kept. */
export async function imported(file: string, target: WholeTarget, given: Partial<Importing> = {}): Promise<string[]> {
  const names: string[] = [];
  const keepName = (name: string) => void names.push(name);
  const importing: Importing = { target, replaces: false, sameEpoch: true, messages: 'stored', keepName, where: 'there', ...given };
  await importFrom(file, await checked(file, importing.messages), importing, noon);
  return names;
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { wholeFile } from '../../../lib/ports/storage/whole-file.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import { type Seeded, seededRows } from '../scale/seed.ts';

/** A marker of an unfinished seeding, as an import has one; removed once the rows are there. */
const marker: Row = {
  key: keyOf({ noun: 'importing', id: '' }),
  rev: 1,
  body: {},
  at: 0 as Row['at'],
  by: 'bench',
  because: 'it is being seeded',
  events: [],
  eventSeq: 0,
};

/**
 * Puts a deployment of a size into a state folder, as an import would: the rows of 1,000,000 client systems without
 * their knocks.
 */
export async function seedHome(home: string, size: Seeded): Promise<void> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = wholeFile(join(home, 'muster.db'));
  await file.begin(marker);
  for (const row of seededRows(size)) await file.storeRows([row]);
  await file.commit(undefined);
  await file.settle(marker.key);
  file.close();
}

import { MusterError } from '../../lib/core/errors.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import type { Whole } from './read.ts';

/** The key of the row that a table has during an import. */
export const markerKey = keyOf({ noun: 'importing', id: '' });

/** That row: what is imported, and since when. */
export const markerOf = ({ header, sha256 }: Whole, at: EpochMs): Row => ({
  key: markerKey,
  rev: 1,
  body: { deployment: header.deployment, exportedAt: header.at, sha256 },
  at,
  by: sha256,
  because: 'a deployment is being imported',
  events: [],
  eventSeq: 0,
});

/** Throws a MusterError `import.unfinished` for a place that holds half a deployment. */
export async function refuseHalf(from: { read(key: Row['key']): Promise<Row | undefined> }, where: string): Promise<void> {
  if ((await from.read(markerKey)) === undefined) return;
  throw new MusterError('import.unfinished', `${where} holds half a deployment: an import was broken off; import it again`, 'never');
}

import { keysMax } from '../ports/table/limits.ts';
import type { Key, Reading, Row } from '../ports/table/table.ts';
import type { Shell } from './shell.ts';

/** Any number of rows, in the order of the keys: as many at once as the table reads, one batch after another. */
export async function readAll({ table }: Pick<Shell, 'table'>, keys: readonly Key[], how?: Reading): Promise<(Row | undefined)[]> {
  const rows: (Row | undefined)[] = [];
  for (let at = 0; at < keys.length; at += keysMax) rows.push(...(await table.readMany(keys.slice(at, at + keysMax), how)));
  return rows;
}

import { memoryTable } from '../../lib/ports/table/memory.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import type { World } from '../../tools/support/stepped.ts';

/**
 * From now on one function of a world sees the indexes as they are at this moment, and its rows as they are: what
 * DynamoDB allows for as long as it likes. Gives what lets the indexes follow again.
 */
export function indexesStandStill(world: World, name: string): () => void {
  const { table } = world.environment(name) as { table: Partial<Pick<Shell['table'], 'queryIndex'>> };
  const { queryIndex } = table;
  const asTheyWere = memoryTable(new Map(world.table.rows));
  table.queryIndex = (query) => asTheyWere.queryIndex(query);
  return () => Object.assign(table, { queryIndex });
}

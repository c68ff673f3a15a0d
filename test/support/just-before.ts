import type { Change } from '../../lib/ports/table/table.ts';
import type { World } from '../../tools/support/stepped.ts';

/** Something happens after a call has read its rows, and before the first commit that fits is made. */
export function justBefore(
  { table }: Pick<World, 'table'>,
  isThat: (changes: readonly Change[]) => boolean,
  happens: () => Promise<unknown>,
): void {
  const commit = table.commit.bind(table);
  table.commit = async (changes) => {
    if (!isThat(changes)) return commit(changes);
    table.commit = commit;
    await happens();
    return commit(changes);
  };
}

/** Commits that write into the partition `pk`. */
export const writes =
  (pk: string) =>
  (changes: readonly Change[]): boolean =>
    changes.some((change) => 'put' in change && change.put.key.pk === pk);

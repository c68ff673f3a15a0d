import { isDeepStrictEqual } from 'node:util';
import type { Row } from '../../lib/ports/table/table.ts';
import { aShell, type TestShell } from '../../tools/support/a-shell.ts';
import { same } from './model.ts';

/** Something that is carried out on whatever shell it is given. */
export type Deed = (shell: TestShell) => Promise<unknown>;

const ended = (rows: ReadonlyMap<string, Row>): unknown =>
  Object.fromEntries([...rows].map(([name, { body, gone, eventSeq }]) => [name, { body, gone, eventSeq }]));

/**
 * Two deeds begin at the same moment, each on a copy of the shell's rows: all rows must end as after one deed and then
 * the other.
 */
export async function endsInSomeOrder(shell: TestShell, one: Deed, other: Deed): Promise<void> {
  const copy = (): TestShell => ({ ...aShell(shell.settings, shell.table.rows), now: shell.now });
  const after = async (...deeds: readonly Deed[]): Promise<unknown> => {
    const alone = copy();
    for (const deed of deeds) await deed(alone);
    return ended(alone.table.rows);
  };
  const together = copy();
  await Promise.all([one(together), other(together)]);
  const orders = [await after(one, other), await after(other, one)];
  const actual = ended(together.table.rows);
  if (!orders.some((order) => isDeepStrictEqual(order, actual))) same(actual, orders, 'what happens at once ends as one after the other');
}

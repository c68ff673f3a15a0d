import { compareUtf8 } from '../../lib/ports/table/order.ts';
import { nameOf, type Row } from '../../lib/ports/table/table.ts';
import type { WholeSource } from '../../lib/ports/table/whole.ts';

/** Rows in memory as a whole deployment that can be exported, in which nothing waits. */
export function wholeMemory(given: readonly Row[]): WholeSource {
  const rows = [...given].sort((a, b) => compareUtf8(a.key.pk, b.key.pk) || compareUtf8(a.key.sk, b.key.sk));
  const kinds = new Map<string, number>();
  for (const kind of rows.map(({ key }) => key.pk.split('#')[0]!).sort(compareUtf8)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return {
    read: async (key) => rows.find((row) => nameOf(row.key) === nameOf(key)),
    contents: async () => ({ rows: rows.length, kinds: Object.fromEntries(kinds), images: 0, messages: 0 }),
    async *rows() {
      yield* rows;
    },
    async *images() {},
    async *messages() {},
    close: () => {},
  };
}

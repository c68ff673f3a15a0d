import { attributesOf } from '../../lib/ports/table/attributes.ts';
import { itemSize } from '../../lib/ports/table/size.ts';
import type { RowContent } from '../../lib/ports/table/table.ts';
import { aRow } from '../../tools/support/a-row.ts';

/**
 * A row that takes exactly so many bytes at its first revision, its body holding `value` and as much padding as that
 * needs.
 */
export function aRowOf(bytes: number, { value, ...given }: Parameters<typeof aRow>[0] & { value?: unknown } = {}): RowContent {
  const row = (padding: number) => aRow({ ...given, body: { ...(value !== undefined && { value }), padding: 'x'.repeat(padding) } });
  return row(bytes - itemSize(attributesOf(row(0), 1)));
}

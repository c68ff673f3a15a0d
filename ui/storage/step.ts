import type { Row } from './tree.ts';

/** What a key does in the tree: it goes to a box, opens or closes the one where it is, or picks that. */
export type Step = { readonly to: string } | { readonly open: boolean } | { readonly picks: true };

/**
 * What a key does at a box of a tree whose visible boxes are `rows`, as the ARIA pattern of trees has it; undefined for
 * a key that means nothing there.
 */
export function stepOf(rows: readonly Row[], at: string, key: string, isOpen: (id: string) => boolean): Step | undefined {
  const n = rows.findIndex(({ thing }) => thing.id === at);
  const row = rows[n];
  if (!row) return undefined;
  const { id, within } = row.thing;
  const to = (target: Row | undefined): Step | undefined => (target ? { to: target.thing.id } : undefined);
  const hasInside = within.length > 0;
  switch (key) {
    case 'ArrowDown':
      return to(rows[n + 1]);
    case 'ArrowUp':
      return to(rows[n - 1]);
    case 'Home':
      return to(rows[0]);
    case 'End':
      return to(rows.at(-1));
    case 'ArrowRight':
      return !hasInside ? undefined : isOpen(id) ? { to: within[0]!.id } : { open: true };
    case 'ArrowLeft':
      return hasInside && isOpen(id) ? { open: false } : row.parent && { to: row.parent.id };
    case 'Enter':
    case ' ':
      return { picks: true };
    default:
      return undefined;
  }
}

import type { Whereabouts } from './messages.ts';

/** Where a client system is, and on which node it was last. */
export type Tracked = Whereabouts & { readonly last?: string };

/** The tracked position after a look. A time on no node is no move; another node than the last one is. */
export function after(known: Tracked | undefined, node: string | undefined, now: number): Tracked {
  if (known && known.node === node) return known;
  const last = known?.last;
  const moves = (known?.moves ?? 0) + (node !== undefined && last !== undefined && last !== node ? 1 : 0);
  const stays = node ?? last;
  return { since: now, moves, ...(node !== undefined && { node }), ...(stays !== undefined && { last: stays }) };
}

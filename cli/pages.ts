import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';

/** The most the API gives at once. */
const pageMax = 200;

/** Adds --limit to a list: how many of its items are wanted, over all pages. */
export const limited = (command: Command): Command => command.option('--limit <n>', 'at most so many, or `all`', limit, 1000);

function limit(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It is a number from 1, or `all`.');
  return Number(text);
}

/**
 * Follows the pages of a list until `most` items are there or the list ends; `more` says whether it went on. A page may be short,
 * even empty, while more follow: only a page without `next` is the last.
 */
export async function follow<T>(
  most: number,
  page: (at: { limit: number; cursor?: string }) => Promise<{ items: readonly T[]; next?: string | undefined }>,
): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const { items: some, next } = await page({ limit: Math.min(pageMax, most - items.length), ...(cursor !== undefined && { cursor }) });
    items.push(...some);
    cursor = next;
  } while (cursor !== undefined && items.length < most);
  return { items, more: cursor !== undefined };
}

import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Cli } from './cli.ts';
import type { Column } from './output/table.ts';

/** The most the API gives at once. */
const pageMax = 200;

/** Adds --limit to a list: how many of its items are wanted, over all pages. */
export const limited = (command: Command): Command => command.option('--limit <n>', 'show at most this many, or `all`', limit, 1000);

function limit(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1, or `all`.');
  return Number(text);
}

/** Gives a page of a list, from a cursor on. */
type PageOf<T> = (at: { limit: number; cursor?: string }) => Promise<{ items: readonly T[]; next?: string | undefined }>;

/** Shows a list as a verb with {@link limited} is asked for it, and says whether nothing is in it or more follows. */
export async function showList<T>(
  cli: Cli,
  most: number,
  page: PageOf<T>,
  {
    columns,
    empty,
    note,
  }: { columns: (now: number) => readonly Column<T>[]; empty: string; note?: (items: readonly T[]) => string | undefined },
): Promise<void> {
  const { items, more } = await collect(most, page);
  cli.show(items, () => cli.table(items, columns(cli.terminal.now())));
  if (items.length === 0) cli.say(empty);
  const noted = note?.(items);
  if (noted !== undefined) cli.say(noted);
  if (more) cli.say('there are more; --limit all shows them all');
}

/**
 * Follows the pages of a list until `most` items are there or the list ends; `more` says whether it went on. A page may
 * be short, even empty, while more follow: only a page without `next` is the last.
 */
export async function collect<T>(most: number, page: PageOf<T>): Promise<{ items: T[]; more: boolean }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const { items: some, next } = await page({ limit: Math.min(pageMax, most - items.length), ...(cursor !== undefined && { cursor }) });
    items.push(...some);
    cursor = next;
  } while (cursor !== undefined && items.length < most);
  return { items, more: cursor !== undefined };
}

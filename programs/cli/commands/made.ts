import type { MadeView } from '../../../lib/access/api-keys/routes.ts';
import type { Cli } from '../cli.ts';
import { ago } from '../output/moments.ts';
import { printable } from '../output/printable.ts';
import type { Column } from '../output/table.ts';

/** Shows what would end, and asks. Resolves to whether to continue; a dry run only shows. */
export async function confirmMade(
  cli: Cli,
  made: readonly MadeView[],
  { dryRun, question }: { readonly dryRun: boolean; readonly question: string },
): Promise<boolean> {
  const listing = made.length === 0 ? 'no valid key, session or token was made with it\n' : cli.table(made, columns(cli.terminal.now()));
  if (dryRun) cli.show(made, () => listing);
  else cli.say(listing.trimEnd());
  if (dryRun) return false;
  if (made.length > 0) await cli.confirm(question);
  return true;
}

const columns = (now: number): readonly Column<MadeView>[] => [
  { title: 'KIND', of: ({ kind }) => kind },
  { title: 'ID', of: ({ id }) => id },
  { title: 'NAME', of: ({ name }) => printable(name) },
  { title: 'MADE', align: 'right', of: ({ createdAt }) => ago(createdAt, now) },
];

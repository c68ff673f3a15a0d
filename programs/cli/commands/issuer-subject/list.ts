import type { SubjectView } from '../../../../lib/access/api-keys/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { ago } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import { printable } from '../../output/printable.ts';
import type { Column } from '../../output/table.ts';
import { limited, showList } from '../../pages.ts';

/** `subject list`: lists subjects that were ever locked. */
export const list: Verb = (noun, cli) => {
  const command = limited(noun.command('list'))
    .description('List subjects of the issuer that are or were locked here')
    .action(async ({ limit }: { limit: number }) => {
      await showList(cli, limit, async (at) => (await cli.call(contract.listSubjects, { query: at })).body, {
        columns,
        empty: 'no subject was ever locked',
      });
    });
  examples(command, cli.terminal.name, ['subject list']);
};

const columns = (now: number): readonly Column<SubjectView>[] => [
  { title: 'SUBJECT', of: ({ subject }) => printable(subject) },
  { title: 'STATUS', of: ({ status }) => status, paint: ({ status }) => paintOf(status) },
  { title: 'LOCKED', align: 'right', of: ({ lockedAt }) => ago(lockedAt, now) },
  { title: 'BY', of: ({ lockedBy = '-' }) => printable(lockedBy) },
];

import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import { DeadLetterQueue, DeadLetterView, FailureCode } from '../../../../lib/dead-letters/routes.ts';
import { as } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { ago } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import type { Column } from '../../output/table.ts';
import { collect, limited } from '../../pages.ts';
import { renamed } from '../../verbs.ts';

type Options = Partial<Pick<DeadLetterView, 'status' | 'queue'>> & { code?: string; limit: number; wide?: true };

/** `dlq list`: lists dead letters. */
export const ls: Verb = (noun, cli) => {
  const command = limited(renamed(noun, 'list', 'ls'))
    .description('List dead letters, the latest first; all, or by status, queue or code')
    .addOption(new Option('--status <status>', 'only those with this status').choices(DeadLetterView.shape.status.options))
    .addOption(queueOption())
    .addOption(codeOption('only those whose latest error has this code'))
    .option('--wide', 'whole reasons')
    .action(async ({ limit, wide, ...query }: Options) => {
      const { items, more } = await collect(
        limit,
        async (at) => (await cli.call(contract.listDeadLetters, { query: { ...query, ...at } })).body,
      );
      // A letter that is given back while the list is read is in it twice: as it was and, further on, as it is.
      const each = [...new Map(items.map((deadLetter) => [deadLetter.id, deadLetter])).values()];
      const latest = each.toSorted((a, b) => Date.parse(b.last.at) - Date.parse(a.last.at));
      cli.show(latest, () => cli.table(latest, columns(cli.terminal.now(), wide === true)));
      if (items.length === 0) cli.say('no dead letters');
      if (more) cli.say('there are more, perhaps later ones too; --limit all shows them all');
    });
  examples(
    command,
    cli.terminal.name,
    ['dlq list --status dead'],
    ['dlq list --code row.busy --wide'],
    ["dlq list --json | jq -r '.[].last.code' | sort | uniq -c", 'how many of each code'],
  );
};

/** `--queue NAME`, the same for every verb that chooses letters. */
export const queueOption = (): Option => new Option('--queue <queue>', 'only those of this queue').choices(DeadLetterQueue.options);
/** `--code CODE`, with what it does for the verb. */
export const codeOption = (does: string): Option =>
  new Option('--code <code>', does).argParser(as(FailureCode, 'a code such as wrong-shape, as `dlq list` shows it'));

/** How much of a reason a narrow table shows; `dlq show` has all of it. */
const reasonWidth = 72;

const columns = (now: number, wide: boolean): Column<DeadLetterView>[] => [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATUS', of: ({ status }) => status, paint: ({ status }) => paintOf(status) },
  { title: 'QUEUE', of: ({ queue }) => queue },
  { title: 'VIA', of: ({ via }) => via },
  { title: 'DEATHS', align: 'right', of: ({ deaths }) => String(deaths) },
  { title: 'FIRST', align: 'right', of: ({ first }) => ago(first.at, now) },
  { title: 'LAST', align: 'right', of: ({ last }) => ago(last.at, now) },
  { title: 'CODE', of: ({ last }) => last.code },
  { title: 'REASON', of: ({ last: { reason } }) => (wide || reason.length <= reasonWidth ? reason : `${reason.slice(0, reasonWidth)}…`) },
];

import type { HistoryView } from '../../../lib/assembly/explain/routes.ts';
import { contract } from '../../../lib/contract.ts';
import { count } from '../arguments.ts';
import type { Cli, Verb } from '../cli.ts';
import { examples } from '../help.ts';
import { toTheSecond } from '../output/moments.ts';
import type { Column } from '../output/table.ts';
import { limited } from '../pages.ts';
import { type OfZone, onSubject, type Subject, subjectOf, zoneAsked } from './subject.ts';

type Options = OfZone & { after: number; limit: number };

/** `history`: lists what Muster concluded about something. */
export const history: Verb = (program, cli) => {
  const command = limited(onSubject(program.command('history')))
    .description(
      'List what Muster concluded about a node, client system, zone, process, service or storage cluster, the stations of a zone, or the orders on its site, oldest first',
    )
    .option('--after <seq>', 'only entries after this number', count, 0)
    .action(async (kind: Subject['kind'], id: string, node: string | undefined, { after, limit, zone }: Options) => {
      const subject = { ...(await subjectOf(cli, kind, id, node)), ...(await zoneAsked(cli, kind, { ...(zone && { zone }) })) };
      const { items, more } = await entries(cli, subject, after, limit);
      cli.show(items, () => cli.table(items, columns(items)));
      if (items.length === 0) cli.say('Muster has concluded nothing about it yet');
      if (more) cli.say(`there are more; --after ${items.at(-1)!.seq} continues from here`);
    });
  examples(
    command,
    cli.terminal.name,
    ['history node node7.acme.org'],
    ['history service greeter node7.acme.org'],
    ['history stations default'],
    ['history zone default --after 120 --json'],
  );
};

/** Entries up to `most`, over all pages: each page begins after the last number of the one before. */
async function entries(
  cli: Cli,
  { kind, id, zone }: Subject & OfZone,
  after: number,
  most: number,
): Promise<{ items: HistoryView[]; more: boolean }> {
  const items: HistoryView[] = [];
  for (;;) {
    const query = { after: items.at(-1)?.seq ?? after, limit: Math.min(200, most - items.length), ...(zone && { zone }) };
    const { body } = await cli.call(contract.history, { params: { kind, id }, query });
    items.push(...body.items);
    if (!body.more || body.items.length === 0 || items.length >= most) return { items, more: body.more };
  }
}

/** The column WHO is there only if a person or program acted: most conclusions are Muster's own. */
const columns = (items: readonly HistoryView[]): Column<HistoryView>[] => [
  { title: 'SEQ', align: 'right', of: ({ seq }) => String(seq) },
  { title: 'AT', of: ({ at }) => toTheSecond(at) },
  { title: 'EVENT', of: ({ type }) => type },
  ...(items.some(({ who }) => who !== undefined) ? [{ title: 'WHO', of: ({ who = '' }: HistoryView) => who }] : []),
  { title: 'BECAUSE', of: ({ because }) => because },
];

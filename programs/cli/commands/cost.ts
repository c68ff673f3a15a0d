import { Option } from 'commander';
import { count, percent, spanMs } from '../arguments.ts';
import type { Cli, Verb } from '../cli.ts';
import { type BillAsked, type Month, monthsOf } from '../cost/bill.ts';
import { notesOf } from '../cost/notes.ts';
import { meters, prices, type Region, regions } from '../cost/prices.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';

type Options = {
  readonly clients: number;
  readonly nodes: number;
  readonly deadKnownIn: number;
  readonly covered: number;
  readonly region: Region;
  readonly edge?: true;
  readonly freeTiers?: true;
};

/** `cost`: what a month on AWS would cost. It calls no deployment. */
export const cost: Verb = (program, cli) => {
  const command = program
    .command('cost')
    .description('Compute what a month on AWS costs, by item, beside other designs. The command calls nothing')
    .requiredOption('--clients <n>', 'number of client systems', count)
    .requiredOption('--nodes <n>', 'number of nodes', count)
    .addOption(
      new Option('--dead-known-in <span>', 'time within which a dead client system is known').argParser(spanMs).default(180_000, '180s'),
    )
    .option('--covered <percent>', 'percentage of client systems that their nodes see', percent, 100)
    .addOption(new Option('--region <region>', 'region of the prices').choices(regions).default('us-east-1'))
    .option('--edge', 'with the edge: CloudFront and its filter')
    .option('--free-tiers', 'after the monthly free tiers of an account')
    .action(({ deadKnownIn, covered, edge, freeTiers, ...given }: Options) => {
      if (deadKnownIn < 1_000) throw new Failure(exitCodes.usage, '--dead-known-in must be at least a second', 'Give a span such as 180s');
      const asked: BillAsked = {
        ...given,
        deadKnownInS: deadKnownIn / 1_000,
        covered: covered / 100,
        edge: edge === true,
        freeTiers: freeTiers === true,
      };
      const months = monthsOf(asked);
      const notes = notesOf(asked, months);
      cli.show({ asked, months, notes, prices: prices[asked.region] }, () => billText(asked, cli.table));
    });
  examples(
    command,
    cli.terminal.name,
    ['cost --clients 1000000 --nodes 500'],
    ['cost --clients 20000 --nodes 10 --edge --free-tiers', 'a smaller one, behind the edge'],
    ['cost --clients 5000 --nodes 4 --covered 0', 'without nodes that see their client systems'],
  );
};

const usd = (amount: number): string => amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A bill for people: items, what they are for, and what to know about it. */
export function billText(asked: BillAsked, table: Cli['table']): string {
  const months = monthsOf(asked);
  const { clients, nodes, region, edge } = asked;
  const head = `A month of ${clients.toLocaleString('en-US')} client systems and ${nodes.toLocaleString('en-US')} nodes in ${region}${edge ? ', behind the edge' : ''}, in USD\n\n`;
  const after = months.map(({ name, deadKnownInS }) => `${name} ${deadKnownInS} s`).join(', ');
  const known = clients > 0 ? `\nA dead client system that its node sees is known to be gone after: ${after}\n` : '';
  return `${head}${itemised(asked, months, table)}\n${purposes(months[0]!, table)}${known}\n${notesOf(asked, months)
    .map((note) => `- ${note}\n`)
    .join('')}`;
}

type Row = { readonly item: string; readonly many: string; readonly price: string; readonly amounts: readonly string[] };

/** Items in the order of the price list, a column for each design, and the totals. */
function itemised({ region }: BillAsked, months: readonly Month[], table: Cli['table']): string {
  const rows = meters.flatMap((meter): Row[] => {
    const found = months.map(({ items }) => items.find((item) => item.meter === meter));
    const first = found.find((item) => item !== undefined);
    if (!first) return [];
    const { item, unit, tiers } = prices[region][meter];
    return [
      {
        item,
        many: found[0] ? `${found[0].quantity.toLocaleString('en-US', { maximumFractionDigits: 2 })} ${unit}` : '-',
        price: `${tiers[0]!.usd} / ${unit}`,
        amounts: found.map((one) => usd(one?.usd ?? 0)),
      },
    ];
  });
  const total: Row = { item: 'TOTAL', many: '', price: '', amounts: months.map(({ totalUsd }) => usd(totalUsd)) };
  return table(
    [...rows, total],
    [
      { title: 'ITEM', of: ({ item }) => item },
      { title: 'A MONTH, AS DEPLOYED', align: 'right', of: ({ many }) => many || ' ' },
      { title: 'PRICE', align: 'right', of: ({ price }) => price || ' ' },
      ...months.map(({ name }, n) => ({ title: name.toUpperCase(), align: 'right' as const, of: ({ amounts }: Row) => amounts[n]! })),
    ],
  );
}

const purposes = ({ name, purposes, totalUsd }: Month, table: Cli['table']): string =>
  table(
    [...purposes, { of: 'TOTAL', usd: totalUsd }],
    [
      { title: `${name.toUpperCase()}, BY PURPOSE`, of: ({ of }) => of },
      { title: 'USD', align: 'right', of: (one) => usd(one.usd) },
    ],
  );

import { Option } from 'commander';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { type Asked, ofDays } from './asked.ts';
import { dayOf, entriesOf } from './entries.ts';
import type { HeadLine } from './exported.ts';

/** A day before any audit began, however long the deployment retains it. */
const everything = '2000-01-01';

/** `audit export`: writes the audit as lines of JSON, to be kept elsewhere. */
export const exportAudit: Verb = (noun, cli) => {
  const command = ofDays(noun.command('export'))
    .description(
      'Export the audit as lines of JSON, with a line for the head of each chain at the end; everything, unless you give days. Keep the export out of reach of everyone who can write to this deployment; `audit verify --against` compares it',
    )
    .addOption(new Option('--heads', 'only the heads, which are enough to detect later changes to anything before them'))
    .action(async ({ from = everything, to, heads }: Pick<Asked, 'from' | 'to'> & { heads?: true }) => {
      const ends = new Map<string, HeadLine>();
      for await (const entry of entriesOf(cli, { from, ...(to !== undefined && { to }) })) {
        const { zone, n, hash } = entry;
        ends.set(`${dayOf(entry)} ${zone}`, { head: { zone, day: dayOf(entry), n, hash } });
        if (!heads) cli.terminal.out(`${JSON.stringify(entry)}\n`);
      }
      for (const line of ends.values()) cli.terminal.out(`${JSON.stringify(line)}\n`);
      cli.say(`${ends.size} ${ends.size === 1 ? 'chain' : 'chains'}`);
    });
  examples(
    command,
    cli.terminal.name,
    ['audit export > audit-2026-05.ndjson'],
    ['audit export --from 2026-05-01 --to 2026-05-31 | gzip > audit-2026-05.ndjson.gz'],
    ['audit export --heads | mail -s heads auditor@acme.org', 'a few lines a day that pin everything before them'],
  );
};

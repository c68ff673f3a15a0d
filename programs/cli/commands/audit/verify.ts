import { Option } from 'commander';
import type { AuditFault } from '../../../../lib/audit/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import type { Column } from '../../output/table.ts';
import { textOf } from '../../reading.ts';
import { type Asked, ofDays } from './asked.ts';
import { entriesOf } from './entries.ts';
import { Exported } from './exported.ts';

type Days = Pick<Asked, 'from' | 'to'>;
type Verdict = { ok: boolean; entries: number; days: number; compared?: number; faults: AuditFault[]; keptSince: string };

/** How many parts pass between two notes on the progress: seconds. */
const partsPerNote = 20;

/** `audit verify`: checks whether the audit was tampered with. */
export const verify: Verb = (noun, cli) => {
  const command = ofDays(noun.command('verify'))
    .description(
      'Check that the audit is whole: every entry follows the one before it, and agrees with what it is about; exits with 1 if it was tampered with',
    )
    .addOption(new Option('--against <file>', 'also check that everything is there that an earlier `audit export` wrote'))
    .action(async ({ against, ...days }: Days & { against?: string }) => {
      const exported = against === undefined ? undefined : new Exported(await textOf(cli, against), against);
      const verdict = await verified(cli, days);
      if (exported) await compare(cli, exported, verdict);
      cli.show(verdict, () => cli.table(verdict.faults, columns));
      const { faults, entries, days: chains, compared } = verdict;
      cli.say(
        `${entries} entries in ${chains} ${chains === 1 ? 'chain' : 'chains'}${compared === undefined ? '' : `, ${compared} compared with the export`}${faults.length === 0 ? ': unchanged' : ''}`,
      );
      if (faults.length > 0)
        throw new Failure(
          exitCodes.failed,
          `the audit was tampered with, in ${faults.length} ${faults.length === 1 ? 'place' : 'places'}`,
          'See docs/runbook.md, "audit verify found something"',
        );
    });
  examples(
    command,
    cli.terminal.name,
    ['audit verify'],
    ['audit verify --from 2026-05-01 --to 2026-05-31 --json'],
    ['audit verify --against audit-2026-05.ndjson', 'with an export that was kept elsewhere'],
  );
};

/** Part by part, until there is no next one. */
async function verified(cli: Cli, days: Days): Promise<Verdict> {
  const verdict: Verdict = { ok: true, entries: 0, days: 0, faults: [], keptSince: '' };
  for (let part = 1, cursor: string | undefined; ; part++) {
    const { body } = await cli.call(contract.verifyAudit, { query: { ...days, ...(cursor !== undefined && { cursor }) } });
    verdict.ok &&= body.ok;
    verdict.entries += body.entries;
    verdict.days += body.days;
    verdict.faults.push(...body.faults);
    verdict.keptSince = body.keptSince;
    cursor = body.next;
    if (cursor === undefined) return verdict;
    if (part % partsPerNote === 0) cli.say(`${verdict.entries} entries, ${verdict.faults.length} faults so far`);
  }
}

async function compare(cli: Cli, exported: Exported, verdict: Verdict): Promise<void> {
  for await (const entry of entriesOf(cli, exported.days)) exported.compare(entry);
  exported.end(verdict.keptSince);
  verdict.compared = exported.compared;
  verdict.faults.push(...exported.faults);
  verdict.ok &&= exported.faults.length === 0;
}

const columns: readonly Column<AuditFault>[] = [
  { title: 'DAY', of: ({ day }) => day },
  { title: 'ZONE', of: ({ zone }) => (zone === '-' ? '' : zone) },
  { title: 'N', align: 'right', of: ({ n }) => String(n) },
  { title: 'FAULT', of: ({ what }) => what },
];

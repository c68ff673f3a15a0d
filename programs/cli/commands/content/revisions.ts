import * as z from 'zod';
import { contract } from '../../../../lib/contract.ts';
import { type Fqdn, type NodeId, ZoneName } from '../../../../lib/core/ids.ts';
import { as, node, zoneOption } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { contentText, diffText, revisionsText } from './revision-text.ts';

type Given = { readonly zone: ZoneName };
type Ordering = Given & { readonly because: string; readonly remove?: true };

const ofZone = () => zoneOption('the zone whose content it is').default(ZoneName.parse('default'));
const revision = as(z.coerce.number().int().positive(), 'the number of a revision, as content log shows it');
const because = ['--because <reason>', 'why, for the history'] as const;
const remove = ['--remove', 'also remove what servers have beyond the revision, of the kinds that it holds'] as const;

/** `content apply`: has all servers have the content of one. */
export const apply: Verb = (noun, cli) => {
  const command = noun
    .command('apply')
    .addOption(ofZone())
    .option('--from <node>', 'the server whose content it is (default: the one that is edited, or was last)', node)
    .requiredOption(...because)
    .option(...remove)
    .option('--end-others', 'end the editing of others, instead of refusing')
    .description(
      'Have all Uyuni servers of a zone have the common content of one: it is read as the next revision, which goes to one server, to a tenth, and then to all. Editing ends. Asks first, unless --yes',
    )
    .action(async ({ zone, from, because: why, remove: removes, endOthers }: Ordering & { from?: Fqdn | NodeId; endOthers?: true }) => {
      await cli.confirm(`have all servers of zone ${zone} have the common content of ${from ?? 'the one that was edited last'}?`);
      const rest = { ...(from && { from }), ...(removes && { removes }), ...(endOthers && { endsOthers: true }) };
      const { body } = await cli.call(contract.applyContent, { params: { zone }, body: { because: why, ...rest } });
      cli.show(body, () => contentText(body, cli));
    });
  examples(
    command,
    cli.terminal.name,
    ['content apply --zone emea --because "channels of November"'],
    ['content status --zone emea --watch', 'to see how far it is'],
  );
};

/** `content rollback`: takes an earlier revision back. */
export const rollback: Verb = (noun, cli) => {
  const command = noun
    .command('rollback')
    .argument('<revision>', 'the revision, as content log shows it', revision)
    .addOption(ofZone())
    .requiredOption(...because)
    .option(...remove)
    .description('Take the documents of an earlier revision back, as the next revision. Asks first, unless --yes')
    .action(async (to: number, { zone, because: why, remove: removes }: Ordering) => {
      await cli.confirm(`take revision ${to} back in zone ${zone}?`);
      const body = { revision: to, because: why, ...(removes && { removes }) };
      const answer = await cli.call(contract.rollBackContent, { params: { zone }, body });
      cli.show(answer.body, () => contentText(answer.body, cli));
    });
  examples(command, cli.terminal.name, ['content rollback 4 --zone emea --because "the new channels are incomplete"']);
};

/** `content resume`: tries again what failed. */
export const resume: Verb = (noun, cli) => {
  const command = noun
    .command('resume')
    .addOption(ofZone())
    .description('Have servers that could not take the last revision try again, and let it go on where it was stopped')
    .action(async ({ zone }: Given) => {
      const { body } = await cli.call(contract.resumeContent, { params: { zone }, body: {} });
      cli.show(body, () => contentText(body, cli));
    });
  examples(command, cli.terminal.name, ['content resume --zone emea']);
};

/** `content log`: shows the revisions. */
export const log: Verb = (noun, cli) => {
  const command = noun
    .command('log')
    .addOption(ofZone())
    .description('Show the revisions of the common content of a zone, the newest first: from which server, by whom, and why')
    .action(async ({ zone }: Given) => {
      const { body } = await cli.call(contract.getContent, { params: { zone } });
      cli.show(body.revisions, () => revisionsText(body, cli));
    });
  examples(command, cli.terminal.name, ['content log --zone emea']);
};

/** `content diff`: compares two revisions. */
export const diff: Verb = (noun, cli) => {
  const command = noun
    .command('diff')
    .argument('<from>', 'the earlier revision', revision)
    .argument('<to>', 'the later one', revision)
    .addOption(ofZone())
    .description('Show which documents two revisions do not have alike: added (+), changed (~, with the fields) and removed (-)')
    .action(async (from: number, to: number, { zone }: Given) => {
      const { body } = await cli.call(contract.diffContent, { params: { zone }, query: { from, to } });
      cli.show(body, () => diffText(body));
    });
  examples(command, cli.terminal.name, ['content diff 4 5 --zone emea']);
};

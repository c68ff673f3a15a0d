import { InvalidArgumentError, Option } from 'commander';
import type { BodyInputOf } from '../../../../lib/api/route.ts';
import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node, tag as oneTag, zoneOption } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onQuery, onSystems } from './by-query.ts';
import { onPages } from './each.ts';

type Labels = { add?: string[]; remove?: string[]; addGroup?: string[]; removeGroup?: string[] };
type Where = { zone?: NodeView['zone']; node?: string; tag?: string; status?: 'onboarded' | 'orphan' };
type Options = Labels & Where & { dryRun?: true; query?: string };

/** `system tag`: changes tags and groups of any number of client systems. */
export const tag: Verb = (noun, cli) => {
  const command = onSystems(noun.command('tag'))
    .description('Add and remove tags and groups of accepted client systems: those that you name, or all that match. Safe to repeat')
    .option('--add <tags>', 'tags to add, comma-separated', labels)
    .option('--remove <tags>', 'tags to remove, comma-separated', labels)
    .option('--add-group <groups>', 'groups to put them into, comma-separated', labels)
    .option('--remove-group <groups>', 'groups to take them out of, comma-separated', labels)
    .addOption(zoneOption('all of this zone; `default` if only a tag or status is given'))
    .option('--node <node>', 'all on this node', node)
    .option('--tag <tag>', 'all with this tag', oneTag)
    .addOption(new Option('--status <status>', 'all with this status').choices(['onboarded', 'orphan']))
    .option('--dry-run', 'show the result for each, and change nothing')
    .action(async (given: readonly string[], { add, remove, addGroup, removeGroup, dryRun, query, ...where }: Options) => {
      const isWhere = Object.keys(where).length > 0;
      if ([isWhere, query !== undefined, given.length > 0].filter(Boolean).length !== 1)
        throw new Failure(
          exitCodes.usage,
          'the command needs fingerprints, --query, or a choice such as --zone or --tag, and one of these alone',
          'List client systems: system list',
        );
      if (![add, remove, addGroup, removeGroup].some(Boolean))
        throw new Failure(exitCodes.usage, 'no tag or group to add or remove was given', 'Give one, such as --add web');
      const what: BodyInputOf<typeof contract.editSystems> = {
        tags: { ...(add && { add }), ...(remove && { remove }) },
        groups: { ...(addGroup && { add: addGroup }), ...(removeGroup && { remove: removeGroup }) },
        ...(dryRun && { dryRun }),
      };
      const says = { done: dryRun ? 'to be done' : 'done', does: dryRun ? undefined : 'Change tags and groups of' };
      if (query !== undefined)
        return void (await onQuery(cli, query, says, (some) => cli.call(contract.editSystems, { body: { ...what, ...some } })));
      const systems = isWhere ? undefined : await wholeFingerprints(cli, given);
      await onPages(cli, systems, says.done, (some) =>
        cli.call(contract.editSystems, { body: { ...what, ...(some.systems ? some : { where, ...some }) } }),
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['system tag 1f2e3d4c 9a8b7c6d --add web,prod --remove test'],
    ["system tag --query 'tag:db and web*' --add prod"],
    ['system tag --zone emea --tag web --add-group dmz --dry-run', 'show the results, and change nothing'],
  );
};

/** Tags or groups between commas. */
function labels(text: string): string[] {
  const all = text.split(',').map((one) => one.trim());
  if (all.length > 64) throw new InvalidArgumentError('At most 64 can be given at once.');
  return all.map(oneTag);
}

import { InvalidArgumentError, Option } from 'commander';
import type { BodyInputOf } from '../../../../lib/api/route.ts';
import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node, tag as oneTag, zoneOption } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { fingerprint, fingerprintHelp, wholeFingerprints } from '../../fingerprints.ts';
import { examples } from '../../help.ts';
import { onPages } from './each.ts';

type Labels = { add?: string[]; remove?: string[]; addGroup?: string[]; removeGroup?: string[] };
type Where = { zone?: NodeView['zone']; node?: string; tag?: string; status?: 'onboarded' | 'orphan' };
type Options = Labels & Where & { dryRun?: true };

/** `system tag`: tags and groups of any number of client systems. */
export const tag: Verb = (noun, cli) => {
  const command = noun
    .command('tag')
    .argument('[fingerprint...]', fingerprintHelp, fingerprint)
    .description('Add and take away tags and groups of accepted client systems: of those named, or of all that are so. Safe to repeat')
    .option('--add <tags>', 'tags to add, comma-separated', labels)
    .option('--remove <tags>', 'tags to take away', labels)
    .option('--add-group <groups>', 'groups to put them into', labels)
    .option('--remove-group <groups>', 'groups to take them out of', labels)
    .addOption(zoneOption('all of this zone; the zone `default` where only a tag or status is given'))
    .option('--node <node>', 'all of this node', node)
    .option('--tag <tag>', 'all that have this tag', oneTag)
    .addOption(new Option('--status <status>', 'all that are so').choices(['onboarded', 'orphan']))
    .option('--dry-run', 'only say what would become of each')
    .action(async (given: readonly string[], { add, remove, addGroup, removeGroup, dryRun, ...where }: Options) => {
      const isWhere = Object.keys(where).length > 0;
      if (isWhere === given.length > 0)
        throw new Failure(exitCodes.usage, 'either fingerprints or a choice such as --zone or --tag is wanted', 'See: system list');
      if (![add, remove, addGroup, removeGroup].some(Boolean))
        throw new Failure(exitCodes.usage, 'nothing is added or taken away', 'Give --add web');
      const what: BodyInputOf<typeof contract.editSystems> = {
        tags: { ...(add && { add }), ...(remove && { remove }) },
        groups: { ...(addGroup && { add: addGroup }), ...(removeGroup && { remove: removeGroup }) },
        ...(dryRun && { dryRun }),
      };
      const systems = isWhere ? undefined : await wholeFingerprints(cli, given);
      await onPages(cli, systems, dryRun ? 'to be done' : 'done', (some) =>
        cli.call(contract.editSystems, { body: { ...what, ...(some.systems ? some : { where, ...some }) } }),
      );
    });
  examples(
    command,
    cli.terminal.name,
    ['system tag 1f2e3d4c 9a8b7c6d --add web,prod --remove test'],
    ['system tag --zone emea --tag web --add-group dmz --dry-run', 'what would become of each'],
  );
};

/** Tags or groups between commas. */
function labels(text: string): string[] {
  const all = text.split(',').map((one) => one.trim());
  if (all.length > 64) throw new InvalidArgumentError('At most 64 at once.');
  return all.map(oneTag);
}

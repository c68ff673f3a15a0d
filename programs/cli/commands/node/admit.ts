import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { zoneOption } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { type AnyWatch, anyWatchOption } from './any-watch.ts';
import { onEachHost, onHosts } from './hosts.ts';
import { kindOption } from './kind.ts';

type Options = AnyWatch & { zone?: NodeView['zone']; kind?: NodeView['kind'] };

const asksAgain = 'a host that waits asks again within a minute; a rejected host asks again when its agent is restarted';

/** `node admit`: lets hosts from the pool in, or back in. */
export const admit: Verb = (noun, cli) => {
  const command = onHosts(noun.command('admit'))
    .description('Admit hosts that wait to become nodes, or to come back. First compare each fingerprint with the one that its host shows')
    .addOption(zoneOption('the zone they join; if not given, the one they ask for, else `default`'))
    .addOption(kindOption('what they run; if not given, what they report'))
    .addOption(anyWatchOption('each host'))
    .action(async (hosts: readonly string[], { zone, kind, anyWatch }: Options) => {
      const body = { ...(zone && { zone }), ...(kind && { kind }), ...(anyWatch && { anyWatch }) };
      await onEachHost(cli, hosts, { done: 'admitted', now: asksAgain }, (some) =>
        cli.call(contract.admitHosts, { body: { hosts: some, ...body } }),
      );
    });
  examples(command, cli.terminal.name, ['node admit 1f2e3d4c5b6a7988'], ['node admit node7.acme.org node8.acme.org --zone emea']);
};

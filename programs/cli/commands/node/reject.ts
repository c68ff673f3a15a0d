import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { onEachHost, onHosts } from './hosts.ts';

/** `node reject`: sends hosts in the pool away. */
export const reject: Verb = (noun, cli) => {
  const command = onHosts(noun.command('reject'))
    .description(
      'Send away hosts in the pool, and dropped nodes that wait for readmission. Their agents end, and they stay out until they are admitted or have a newer token',
    )
    .action(async (hosts: readonly string[]) => {
      await onEachHost(cli, hosts, { done: 'rejected' }, (some) => cli.call(contract.rejectHosts, { body: { hosts: some } }));
    });
  examples(command, cli.terminal.name, ['node reject 1f2e3d4c5b6a7988']);
};

import { contract } from '../../../../lib/api/contract.ts';
import type { NodeView } from '../../../../lib/api/views.ts';
import { Fqdn } from '../../../../lib/ids.ts';
import { as } from '../../../arguments.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { dated } from '../../../output/moments.ts';
import { inStorageZone, storageZone, type ZoneChoice } from '../../mero/zone.ts';

/** `halon node add`: a host joins a storage zone, or one that was removed comes back. */
export const add: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('add'))
    .argument('<host>', 'its fully qualified name', as(Fqdn, 'a fully qualified name'))
    .description(
      'Let a host join a storage zone. One that was removed, or waits in the pool, is let in with the key that it has; for any other a token is printed, alone, by which its agent joins within an hour',
    )
    .action(async (host: NodeView['fqdn'], options: ZoneChoice) => {
      const zone = await storageZone(cli, options);
      if (await isNodeThere(cli, host, zone)) return cli.show({ host, done: false }, () => `${host} is a node of zone ${zone} already\n`);
      const { results } = (await cli.call(contract.admitHosts, { body: { hosts: [host], zone, kind: 'storage' } })).body;
      if (results[0]!.done) {
        cli.show(results[0], () => `${host} is let in: ${results[0]!.because}\n`);
        return cli.say('a host that waits asks again within a minute; one that was sent away, as soon as its agent is started again');
      }
      await withToken(cli, host, zone);
    });
  examples(
    command,
    cli.terminal.name,
    ['halon node add ssu4.acme.org > token'],
    ['muster-agent --token-file token --kind storage', 'on that host'],
  );
};

/** Whether the host is a node of the zone that nobody has removed. Throws any other {@link Failure} than that there is none on. */
async function isNodeThere(cli: Cli, host: NodeView['fqdn'], zone: NodeView['zone']): Promise<boolean> {
  try {
    const { body } = await cli.call(contract.getNode, { params: { id: host } });
    return body.zone === zone && body.removedAt === undefined && body.status !== 'dropped';
  } catch (error) {
    if (error instanceof Failure && error.problem === 'unknown-node') return false;
    throw error;
  }
}

/** The secret stands alone, so that `$(…)` and `>` take it as it is. */
async function withToken(cli: Cli, host: NodeView['fqdn'], zone: NodeView['zone']): Promise<void> {
  const { body } = await cli.call(contract.createNodeToken, { body: { nodes: host, zone, kind: 'storage' } });
  cli.show(body, () => `${body.secret}\n`);
  cli.say(`token ${body.token.id}: ${host} joins zone ${zone} with it, until ${dated(body.token.expiresAt, cli.terminal.now())}`);
}

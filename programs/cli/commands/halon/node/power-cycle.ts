import { contract } from '../../../../../lib/contract.ts';
import { Fqdn } from '../../../../../lib/core/ids.ts';
import { as } from '../../../arguments.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import type { ZoneChoice } from '../../mero/zone.ts';
import { inServiceZone, serviceZone } from '../../service/zone.ts';
import { orderAfter, orderText } from '../site-orders.ts';

type Given = ZoneChoice & { readonly dryRun?: true; readonly force?: true };

/** `halon node power-cycle`: a host is switched off and on by the station that coordinates. */
export const powerCycle: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('power-cycle'))
    .argument('<host>', 'the name of the host', as(Fqdn, 'the name of a host'))
    .description(
      'Have the coordinator power-cycle a host once, and wait for the answer. Refused without a majority of the stations, and more often than the zone allows. See halon station power for the settings',
    )
    .option('-n, --dry-run', 'the station reports what it would run, and runs nothing')
    .option('--force', 'even if the host is heard')
    .action(async (host: Fqdn, given: Given) => run(cli, host, given));
  examples(command, cli.terminal.name, ['halon node power-cycle ssu3.acme.org --dry-run'], ['halon node power-cycle ssu3.acme.org']);
};

async function run(cli: Cli, host: Fqdn, given: Given): Promise<void> {
  const zone = await serviceZone(cli, given);
  const { body } = await cli.call(contract.orderOnSite, {
    params: { zone },
    body: { host, ...(given.dryRun && { dryRun: true }), ...(given.force && { force: true }) },
  });
  const { because, waitMs, ...order } = body;
  cli.say(because);
  const after = await orderAfter(cli, zone, order, waitMs);
  cli.show(after, () => `${orderText(after)}\n`);
  if (after.state === 'waiting' || after.state === 'expired')
    throw new Failure(exitCodes.tryAgain, 'no answer in time; halon station power shows the outcome');
  if (after.state === 'refused') throw new Failure(exitCodes.notAllowed, 'the station refused the order, and nothing ran');
  if (after.state === 'unknown' || after.exit !== 0)
    throw new Failure(exitCodes.failed, 'the power cycle failed, or its outcome is unknown');
}

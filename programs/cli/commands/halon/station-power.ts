import { type Command, InvalidArgumentError } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import { Fqdn } from '../../../../lib/core/ids.ts';
import { GivenBmc } from '../../../../lib/stations/site-orders/routes.ts';
import { as, spanMs } from '../../arguments.ts';
import type { Cli } from '../../cli.ts';
import { examples } from '../../help.ts';
import type { ZoneChoice } from '../mero/zone.ts';
import { inServiceZone, serviceZone } from '../service/zone.ts';
import { powerText, siteOrdersOf } from './site-orders.ts';

type Given = ZoneChoice & {
  readonly every?: number;
  readonly auto?: 'off' | 'dry-run' | 'on';
  readonly bmc?: GivenBmc[];
};

const aHost = as(Fqdn, 'the name of a host');

/** `HOST=USER@ADDRESS`: the password is known to agents as `bmc/HOST`. */
function bmcs(text: string, before: readonly GivenBmc[] = []): GivenBmc[] {
  const [, name = '', user, address] = /^([^=]+)=([^@]+)@(.+)$/.exec(text) ?? [];
  const read = GivenBmc.safeParse({ host: aHost(name.toLowerCase()), user, address, secret: `bmc/${name.toLowerCase()}` });
  if (!read.success) throw new InvalidArgumentError('It must be HOST=USER@ADDRESS.');
  return [...before, read.data];
}

/** `halon station power`: how hosts are power-cycled by the station that coordinates. */
export function withPower(station: Command, cli: Cli): void {
  const command = inServiceZone(station.command('power'))
    .description(
      'Set how the coordinator power-cycles hosts of the zone: how often at most, and whether by rule. Each station has a power program of its own (muster-agent --power-command). BMCs come from the facts or from --bmc. Passwords are in a file of the stations’ agents (muster-agent --secrets), and never reach Muster. Without options, the command shows the settings',
    )
    .option('--every <span>', 'least time between two power cycles of one host (default: 10m)', spanMs)
    .option('--auto <when>', 'whether a rule power-cycles a host that is down: off, dry-run or on (default: off)', whenOf)
    .option(
      '--bmc <host=user@address>',
      'the BMC of a host that is not in the facts; its password is called bmc/HOST; may be repeated',
      bmcs,
    )
    // The zone is an option of the command above, too, which takes it wherever it stands.
    .action(async (_own: Given, own: Command) => run(cli, own.optsWithGlobals<Given>()));
  examples(
    command,
    cli.terminal.name,
    ['halon station power --every 20m'],
    ['halon station power --bmc ssu7.acme.org=admin@192.0.2.7'],
    ['halon station power --auto dry-run', 'orders by rule only report what they would run'],
  );
}

function whenOf(text: string): Given['auto'] {
  if (text !== 'off' && text !== 'dry-run' && text !== 'on') throw new InvalidArgumentError('It must be off, dry-run or on.');
  return text;
}

async function run(cli: Cli, given: Given): Promise<void> {
  const { every: everyMs, auto, bmc } = given;
  const zone = await serviceZone(cli, given);
  if (everyMs === undefined && !auto && !bmc) {
    const body = await siteOrdersOf(cli, zone);
    return cli.show(body, () => powerText(cli, body) || `zone ${zone} has no settings for power cycles\n`);
  }
  const change = {
    ...(everyMs !== undefined && { everyMs }),
    ...(auto && { auto }),
    ...(bmc && { bmcs: bmc }),
  };
  const { body } = await cli.call(contract.editPower, { params: { zone }, body: change });
  cli.show(body, () => `${body.because}\n${powerText(cli, body)}`);
}

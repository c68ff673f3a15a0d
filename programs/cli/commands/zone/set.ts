import { Option } from 'commander';
import { contract } from '../../../../lib/contract.ts';
import { freezes } from '../../../../lib/zones/guardrails/routes.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { onOrOff, type Setting, spanMs, unless, zone } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { dryRunnable, notPreviewed, type PreviewQuery, previewZone } from '../preview.ts';
import { readmitOption } from './readmit-option.ts';
import { settings } from './settings.ts';

type Options = {
  unsignedClients?: boolean;
  mode?: ZoneView['mode'];
  remapAfter?: Setting<number>;
  meanwhile?: 'hold' | 'elsewhere';
  rto?: Setting<number>;
  readmit?: ZoneView['readmit'];
  freeze?: (typeof freezes.options)[number] | 'off';
  page?: Setting<string>;
  admission?: NonNullable<ZoneView['admission']>;
  admitCeiling?: Setting<number>;
  readyWithin?: Setting<number>;
  dryRun?: true;
};

/** `zone set`: changes settings of a zone. */
export const set: Verb = (noun, cli) => {
  const command = dryRunnable(noun.command('set'))
    .argument('<zone>', 'its name', zone)
    .description('Change settings of a zone')
    .addOption(
      new Option('--mode <mode>', 'in recovery mode slots keep their home, and only the client systems of lost nodes move').choices([
        'production',
        'recovery',
      ]),
    )
    .option(
      '--remap-after <span>',
      'how long client systems wait for a lost node, such as 10m; `usual` for what its kind needs',
      unless('usual', spanMs),
    )
    .addOption(
      new Option(
        '--meanwhile <what>',
        'in recovery mode: whether client systems of a lost node wait for it, or live elsewhere until it is back',
      ).choices(['hold', 'elsewhere']),
    )
    .option(
      '--rto <span>',
      'how long recovery from a lost node may take before an alarm, such as 4h; `off` for no limit',
      unless('off', spanMs),
    )
    .addOption(readmitOption())
    .addOption(
      new Option('--freeze <what>', 'stop moves, expiry (nothing is given up for being silent or away), or all; `off` for nothing').choices(
        [...freezes.options, 'off'],
      ),
    )
    .addOption(
      new Option(
        '--admission <mode>',
        'whether the rate at which a node admits moved client systems follows what it bears, once measured for an hour or at once',
      ).choices(['fixed', 'adapts', 'adapts-at-once']),
    )
    .option('--admit-ceiling <span>', 'where it does: at most one per span, such as 500ms; `usual` for 1s', unless('usual', spanMs))
    .option(
      '--ready-within <span>',
      'where it does: in what time nine of ten must have their first job, such as 90s; `usual` for 2m',
      unless('usual', spanMs),
    )
    .option(
      '--unsigned-clients <on|off>',
      'let in client systems that never sign; any machine that knows an accepted fingerprint can then take its place',
      onOrOff,
    )
    .option(
      '--page <template>',
      'the address of the page of a node, with {name} and {id} of the node and {system}, {fp}, {minion} and {sid} of a client system; `none` for none',
      unless('none', String),
    )
    .action(async (name: ZoneView['name'], { remapAfter, rto, freeze, page, admitCeiling, readyWithin, dryRun, ...rest }: Options) => {
      const body = {
        ...rest,
        ...(remapAfter && { remapAfterMs: remapAfter.to }),
        ...(rto && { rtoMs: rto.to }),
        ...(page && { page: page.to }),
        ...(admitCeiling && { admitAtMostEveryMs: admitCeiling.to }),
        ...(readyWithin && { readyWithinMs: readyWithin.to }),
        ...(freeze && { freeze: freeze === 'off' ? null : freeze }),
      };
      if (Object.keys(body).length === 0)
        throw new Failure(
          exitCodes.usage,
          'nothing to set',
          'Give --mode, --remap-after, --meanwhile, --rto, --readmit, --freeze, --page, --admission, --admit-ceiling, --ready-within or --unsigned-clients',
        );
      if (dryRun) return previewSettings(cli, name, body, freeze);
      const { body: view } = await cli.call(contract.editZone, { params: { zone: name }, body });
      cli.show(view, () => `zone ${view.name}, ${view.mode} mode: ${settings(view)}${view.frozen ? `, frozen: ${view.frozen}` : ''}\n`);
    });
  examples(
    command,
    cli.terminal.name,
    ['zone set default --remap-after 20m', 'for servers that take long to start'],
    ['zone set default --mode recovery --meanwhile hold', 'after a disaster: client systems wait for their lost nodes'],
    ['zone set default --mode recovery --dry-run', 'what would move'],
    ['zone set default --rto 4h', 'an alarm when recovery from a loss takes longer, or is forecast to'],
    ['zone set default --readmit auto', 'a node that was given up comes back by itself, flushed'],
    ['zone set default --admission adapts --admit-ceiling 500ms', 'nodes admit as fast as they bear'],
    ['zone set default --freeze moves', 'the same as zone freeze'],
    ['zone set default --page https://{name}/rhn/systems/details/Overview.do?sid={sid}', 'where the page of a client system is'],
    ['zone set default --unsigned-clients off'],
  );
};

type Settings = Pick<Options, 'mode' | 'meanwhile'> & { readonly remapAfterMs?: number | null };

/** Shows what the settings would do that bear on where client systems are placed. */
async function previewSettings(cli: Cli, zoneName: ZoneView['name'], body: Settings, freeze: Options['freeze']): Promise<void> {
  const query: PreviewQuery = {
    ...(body.mode && { mode: body.mode }),
    ...(body.remapAfterMs !== undefined && { remapAfterMs: body.remapAfterMs ?? 'usual' }),
    ...(body.meanwhile && { meanwhile: body.meanwhile }),
    ...(freeze && { freeze }),
  };
  const others = Object.keys(body)
    .filter((name) => !(name in query))
    .join(', ');
  if (Object.keys(query).length === 0) return notPreviewed(cli, `${others} cannot be previewed: it moves no client system`);
  if (others !== '') cli.say(`${others} cannot be previewed: it moves no client system`);
  await previewZone(cli, zoneName, query);
}

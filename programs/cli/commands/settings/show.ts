import type { ReplyOf } from '../../../../lib/api/route.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Cli, Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { interval } from '../../output/moments.ts';

/** `settings show`: what the deployment is set to. */
export const show: Verb = (noun, cli) => {
  const command = noun
    .command('show')
    .description('The settings of the deployment, and what follows from them')
    .action(async () => showSettings(cli, (await cli.call(contract.getSettings)).body));
  examples(command, cli.terminal.name, ['settings show']);
};

/** Shows settings as they are now. */
export const showSettings = (cli: Cli, settings: ReplyOf<typeof contract.getSettings>): void =>
  cli.show(settings, () =>
    cli.details({
      'fastest heartbeat': interval(settings.beatMinMs),
      'heartbeat now': interval(settings.intervalMs),
      'admitted nodes': settings.admittedNodes === undefined ? undefined : String(settings.admittedNodes),
      'open calls': switched(settings.openCalls, [
        'on: status and orphan answer without a token too',
        'off: without a token that holds, only a knock is answered',
      ]),
      'new keys': settings.newKeysPerSource === undefined ? undefined : fromOneAddress(settings.newKeysPerSource),
    }),
  );

/** A switch in words; an older Muster does not have it. */
const switched = (is: boolean | undefined, [on, off]: readonly [string, string]): string | undefined =>
  is === undefined ? undefined : is ? on : off;

const fromOneAddress = (keys: number): string =>
  keys === 0 ? 'any number from a network address' : `${keys} an hour from one network address`;

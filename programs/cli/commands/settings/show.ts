import type { ReplyOf } from '../../../../lib/api/route.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Cli, Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { interval } from '../../output/moments.ts';

/** `settings show`: shows the settings of the deployment. */
export const show: Verb = (noun, cli) => {
  const command = noun
    .command('show')
    .description('Show the settings of the deployment, and what follows from them')
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
        'on: calls of status and orphan are answered without a token too',
        'off: without a valid token, only a knock is answered',
      ]),
      'new keys': settings.newKeysPerSource === undefined ? undefined : fromOneAddress(settings.newKeysPerSource),
    }),
  );

/** A switch in words. An older Muster does not have it. */
const switched = (is: boolean | undefined, [on, off]: readonly [string, string]): string | undefined =>
  is === undefined ? undefined : is ? on : off;

const fromOneAddress = (keys: number): string =>
  keys === 0 ? 'any number from a network address' : `${keys} an hour from one network address`;

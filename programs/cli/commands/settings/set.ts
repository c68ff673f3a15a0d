import { contract } from '../../../../lib/contract.ts';
import { count, onOrOff, spanMs } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { showSettings } from './show.ts';

type Options = { beatMin?: number; openCalls?: boolean; newKeysPerSource?: number };

/** `settings set`: changes settings, unless another change came in between. */
export const set: Verb = (noun, cli) => {
  const command = noun
    .command('set')
    .description('Change settings of the deployment')
    .option('--beat-min <span>', 'the fastest heartbeat of a node, 100ms to 300s', spanMs)
    .option('--open-calls <on|off>', 'whether client systems may ask for status and node without a token', onOrOff)
    .option(
      '--new-keys-per-source <n>',
      'how many unknown machines may knock from one network address within an hour; 0 for any number',
      count,
    )
    .action(async ({ beatMin, openCalls, newKeysPerSource }: Options) => {
      const body = {
        ...(beatMin !== undefined && { beatMinMs: beatMin }),
        ...(openCalls !== undefined && { openCalls }),
        ...(newKeysPerSource !== undefined && { newKeysPerSource }),
      };
      if (Object.keys(body).length === 0) throw new Failure(exitCodes.usage, 'nothing to set', 'Give one, such as --beat-min 10s');
      const etag = (await cli.call(contract.getSettings)).headers.get('etag');
      const { body: settings } = await cli.call(contract.editSettings, { body, ...(etag && { headers: { 'if-match': etag } }) });
      showSettings(cli, settings);
    });
  examples(
    command,
    cli.terminal.name,
    ['settings set --beat-min 10s'],
    ['settings set --beat-min 500ms', 'for a demonstration'],
    ['settings set --open-calls off', 'only client systems that knock with their key get answers'],
  );
};

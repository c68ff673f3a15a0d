import { contract } from '../../../lib/api/contract.ts';
import { spanMs } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { showSettings } from './show.ts';

/** `settings set`: changes settings, unless somebody else just did. */
export const set: Verb = (noun, cli) => {
  const command = noun
    .command('set')
    .description('Change settings of the deployment')
    .option('--beat-min <span>', 'the fastest heartbeat of a node, 100ms to 300s', spanMs)
    .action(async ({ beatMin }: { beatMin?: number }) => {
      if (beatMin === undefined) throw new Failure(exitCodes.usage, 'nothing to set', 'Give --beat-min 10s');
      const etag = (await cli.call(contract.getSettings)).headers.get('etag');
      const { body } = await cli.call(contract.editSettings, {
        body: { beatMinMs: beatMin },
        ...(etag && { headers: { 'if-match': etag } }),
      });
      showSettings(cli, body);
    });
  examples(command, cli.terminal.name, ['settings set --beat-min 10s'], ['settings set --beat-min 500ms', 'for a demonstration']);
};

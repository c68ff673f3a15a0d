import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { jsonIn, ofKind, systemOf } from './arguments.ts';

/** `system metadata append`: adds to a history. */
export const append: Verb = (noun, cli) => {
  const command = ofKind(noun.command('append'))
    .description('Append to a history of a client system, such as its actions; beyond 256 KB the oldest entries are dropped')
    .requiredOption('--file <file>', 'a JSON object, or a list of up to 100; - is the standard input')
    .action(async (given: readonly string[], kind, { file }: { file: string }) => {
      const found = await jsonIn(cli, file);
      const read = contract.appendMetadata.body!.shape.entries.safeParse(Array.isArray(found) ? found : [found]);
      if (!read.success) throw new Failure(exitCodes.usage, 'the entries are not 1 to 100 JSON objects');
      const { body } = await cli.call(contract.appendMetadata, {
        params: { fp: await systemOf(cli, given), kind },
        body: { entries: read.data },
      });
      cli.show(body, () => '');
      cli.say(body.because);
    });
  examples(command, cli.terminal.name, [
    'system metadata append 1f2e3d4c actions --file -',
    'such as {"action": "patch", "result": "done"}',
  ]);
};

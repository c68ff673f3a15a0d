import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { renamed } from '../../../verbs.ts';
import { documentIn, ifAt, ofKind, revision, systemOf } from './arguments.ts';

type Options = { file: string; ifRevision?: number };

/** `system metadata set`: keep a document. */
export const put: Verb = (noun, cli) => {
  const command = ofKind(renamed(noun, 'set', 'put'))
    .description('Put a document about a client system in the place of what there is; its node is told, and applies it')
    .requiredOption('--file <file>', 'the JSON to put; - is the standard input')
    .option('--if-revision <n>', 'only if this is its revision still', revision)
    .action(async (given: readonly string[], kind, { file, ifRevision }: Options) => {
      const document = await documentIn(cli, file);
      const params = { fp: await systemOf(cli, given), kind };
      const { body } = await cli.call(contract.putMetadata, { params, body: { document }, ...ifAt(ifRevision) });
      cli.show(body, () => '');
      cli.say(body.because);
    });
  examples(
    command,
    cli.terminal.name,
    ['system metadata set 1f2e3d4c channels --file channels.json --if-revision 4'],
    ['system metadata set 1f2e3d4c notes --file -', 'what is typed, or comes from a pipe'],
  );
};

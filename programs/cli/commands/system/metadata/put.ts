import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { renamed } from '../../../verbs.ts';
import { documentIn, ifAt, ofKind, revision, systemOf } from './arguments.ts';

type Options = { file: string; ifRevision?: number };

/** `system metadata set`: stores a document. */
export const put: Verb = (noun, cli) => {
  const command = ofKind(renamed(noun, 'set', 'put'))
    .description('Store a document about a client system, in place of an earlier one; its node is notified, and applies it')
    .requiredOption('--file <file>', 'the JSON to store; - is the standard input')
    .option('--if-revision <n>', 'only if this is still its revision', revision)
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
    ['system metadata set 1f2e3d4c notes --file -', 'from the keyboard, or from a pipe'],
  );
};

import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { renamed } from '../../../verbs.ts';
import { ifAt, ofKind, revision, systemOf } from './arguments.ts';

/** `system metadata delete`: deletes a kind of metadata. */
export const rm: Verb = (noun, cli) => {
  const command = ofKind(renamed(noun, 'delete', 'rm'))
    .description('Delete a document or a history of a client system. Asks first, unless --yes')
    .option('--if-revision <n>', 'only if this is still its revision', revision)
    .action(async (given: readonly string[], kind, { ifRevision }: { ifRevision?: number }) => {
      const fp = await systemOf(cli, given);
      await cli.confirm(`Delete ${kind} of ${fp.slice(0, 16)}?`);
      const { body } = await cli.call(contract.deleteMetadata, { params: { fp, kind }, ...ifAt(ifRevision) });
      cli.show(body, () => '');
      cli.say(body.because);
    });
  examples(command, cli.terminal.name, ['system metadata delete 1f2e3d4c notes --yes']);
};

import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { json } from '../../../output/json.ts';
import { renamed } from '../../../verbs.ts';
import { ofKind, systemOf } from './arguments.ts';

/** `system metadata show`: prints one document. */
export const get: Verb = (noun, cli) => {
  const command = ofKind(renamed(noun, 'show', 'get'))
    .description('Print a document about a client system as JSON; --json adds its revision')
    .action(async (given: readonly string[], kind) => {
      const { body } = await cli.call(contract.getMetadata, { params: { fp: await systemOf(cli, given), kind } });
      cli.show(body, () => json(body.document));
    });
  examples(command, cli.terminal.name, ['system metadata show 1f2e3d4c channels > channels.json']);
};

import { contract } from '../../../../../lib/contract.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { ago } from '../../../output/moments.ts';
import { renamed } from '../../../verbs.ts';
import { ofSystem, systemOf } from './arguments.ts';

/** `system metadata list`: lists the kinds of metadata. */
export const ls: Verb = (noun, cli) => {
  const command = ofSystem(renamed(noun, 'list', 'ls'))
    .description('List the kinds of metadata of a client system, with their revisions')
    .action(async (given: readonly string[]) => {
      const { body } = await cli.call(contract.listMetadata, { params: { fp: await systemOf(cli, given) } });
      const now = cli.terminal.now();
      cli.show(body, () =>
        cli.table(body.items, [
          { title: 'KIND', of: ({ kind }) => kind },
          { title: 'REVISION', align: 'right', of: (item) => String(item.revision) },
          { title: 'BYTES', align: 'right', of: ({ bytes, appended }) => `${appended ? 'at most ' : ''}${bytes}` },
          { title: 'CHANGED', align: 'right', of: ({ at }) => ago(at, now) },
        ]),
      );
      if (body.items.length === 0) cli.say('no metadata');
    });
  examples(command, cli.terminal.name, ['system metadata list 1f2e3d4c']);
};

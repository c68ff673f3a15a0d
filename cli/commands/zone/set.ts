import { contract } from '../../../lib/api/contract.ts';
import type { ZoneView } from '../../../lib/api/views.ts';
import { onOrOff, zone } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';

/** `zone set`: changes settings of a zone. */
export const set: Verb = (noun, cli) => {
  const command = noun
    .command('set')
    .argument('<zone>', 'its name', zone)
    .description('Change settings of a zone')
    .option(
      '--unsigned-clients <on|off>',
      'let clients in that never sign: whoever knows an accepted fingerprint may then take its place',
      onOrOff,
    )
    .action(async (name: ZoneView['name'], { unsignedClients }: { unsignedClients?: boolean }) => {
      if (unsignedClients === undefined) throw new Failure(exitCodes.usage, 'nothing to set', 'Give --unsigned-clients on');
      const { body } = await cli.call(contract.editZone, { params: { zone: name }, body: { unsignedClients } });
      cli.show(
        body,
        () => `zone ${body.name} ${body.unsignedClients ? 'lets clients in that never sign' : 'lets only clients in that sign'}\n`,
      );
    });
  examples(command, cli.terminal.name, ['zone set default --unsigned-clients off']);
};

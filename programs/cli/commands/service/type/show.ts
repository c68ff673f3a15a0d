import { contract } from '../../../../../lib/contract.ts';
import type { ServiceTypeView } from '../../../../../lib/services/type-routes.ts';
import type { Verb } from '../../../cli.ts';
import { examples } from '../../../help.ts';
import { inServiceZone, serviceZone, type ZoneChoice } from '../zone.ts';

/** `service type show`: one type as a file that can be put. */
export const show: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('show'))
    .argument('<type>', 'the name of the type')
    .description('Print a type of service with its schema, messages and questions as YAML, for service type put')
    .action(async (type: string, options: ZoneChoice) => {
      const zone = await serviceZone(cli, options);
      const { body } = await cli.call(contract.getServiceType, { params: { zone, type } });
      const { writeText } = await import('../../../../../lib/mero/facts/text/write.ts');
      cli.show(body, () => `${remarks(body)}${writeText(asPut(body))}`);
    });
  examples(command, cli.terminal.name, ['service type show greeter > greeter.yaml'], ['service type show statistics --json']);
};

/** The reasons why it takes no new configuration, if any, as comments of the file. */
const remarks = ({ shutOut, unusable = [] }: ServiceTypeView): string =>
  [
    ...(shutOut ? [`Shut out since ${shutOut.since}: ${shutOut.because}.`] : []),
    ...unusable.map(({ pointer, detail }) => `Takes no new configuration: ${pointer}: ${detail}`),
  ]
    .map((line) => `# ${line}\n`)
    .join('');

/**
 * A type as it was put, or as it could be put. One that comes with Muster has the description of its work instead of a
 * start command.
 */
function asPut({ origin: _from, shutOut: _out, unusable: _faults, program, schema, ...type }: ServiceTypeView): object {
  const { sharedWith: _others, ...own } = schema;
  return { ...type, schema: own, ...(program.is === 'command' ? { start: program.start } : { does: program.does }) };
}

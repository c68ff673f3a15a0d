import type { BodyInputOf } from '../../../../../lib/api/route.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { findingsText, readFile } from '../../facts/reading.ts';
import { inServiceZone, serviceZone, type ZoneChoice } from '../zone.ts';

type Put = BodyInputOf<typeof contract.putServiceType> & { readonly name: string };

/** `service type put`: types of an operator's own. */
export const put: Verb = (noun, cli) => {
  const command = inServiceZone(noun.command('put'))
    .description(
      'Put types of services into a zone. The file has one or several types, as service type show prints them. Only name and start are required',
    )
    .requiredOption('-f, --file <file>', 'the types, YAML or JSON; - reads standard input')
    .action(async ({ file, ...options }: ZoneChoice & { readonly file: string }) => {
      const types = await typesOf(cli, file);
      const zone = await serviceZone(cli, options);
      const done: { readonly type: string; readonly because: string }[] = [];
      for (const { name, ...body } of types) {
        const { because } = (await cli.call(contract.putServiceType, { params: { zone, type: name }, body })).body;
        done.push({ type: name, because });
      }
      cli.show(done, () => done.map(({ because }) => `${because}\n`).join(''));
    });
  examples(
    command,
    cli.terminal.name,
    ['service type put -f greeter.yaml'],
    ['service type show greeter | sed s/10s/30s/ | muster service type put -f -'],
  );
  command.addHelpText('after', () => example);
};

/**
 * The types of a file. Throws a {@link Failure} after printing what is wrong with it; Muster itself checks whether they
 * are types.
 */
async function typesOf(cli: Cli, file: string): Promise<readonly Put[]> {
  const read = await readFile(cli, file);
  if (!read.ok) {
    cli.say((await findingsText([read])).trimEnd());
    throw new Failure(exitCodes.failed, 'nothing is put');
  }
  const given = [read.value].flat() as readonly Put[];
  if (given.some((type) => typeof type?.name !== 'string'))
    throw new Failure(exitCodes.usage, 'a type in the file has no name: nothing is put', 'See an example: service type put --help');
  return given;
}

const example = `
A type of service of your own, greeter.yaml:

  name: greeter
  start: [sh, /usr/local/lib/greeter.sh]
  check: [sh, -c, 'test -e /run/greeter']
  schema:
    configuration: {type: object, required: [greeting], properties: {greeting: {type: string}}}
  configuration: {greeting: Hello}
  takesCommand: false             # no configuration or message is run as a command: the scope operate starts it
  messages:
    - {name: greet, data: {type: object}, command: [sh, -c, 'echo "$MUSTER_SERVICE greets $(cat)"']}
  questions:                      # what the service may ask Muster by muster-agent service ask
    - {name: may-stop, rule: {is: may-stop, leave: 1}}                 # yes while this many others of its service name are online
    - {name: who-has, data: {type: object}, rule: {is: holder}}        # {kind, id}: the service that has that resource
    - {name: others, rule: {is: peers}}                                # the others of its service name

and /usr/local/lib/greeter.sh on the hosts, which may report more about itself by muster-agent service report:

  trap 'rm -f /run/greeter; exit 0' TERM
  touch /run/greeter
  muster-agent service report ready
  while :; do
    cat "$MUSTER_SERVICE_CONFIGURATION"
    sleep 10 & wait $!
  done`;

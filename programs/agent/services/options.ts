import { type Command, Option } from 'commander';
import * as z from 'zod';
import { ReportedConfiguration, ResourceId } from '../../../events/reported/service.ts';
import { ServiceName, ServiceTypeName } from '../../../lib/core/ids.ts';
import { checked, gathered } from '../../../lib/machine/command-line.ts';
import { AllowedTypes, type BuiltIn } from '../built-in.ts';
import { ServiceUser } from '../runs-as.ts';
import { builtInWord } from './allowed.ts';
import type { Report } from './hear.ts';
import { Address, Reason, Version } from './said.ts';

/** The options of the command line about services. */
export type ServicesGiven = {
  /** The service types that this host runs; absent: those that come with Muster and take no command. */
  readonly allowService?: readonly string[];
  /** The users that services, and processes that are children, run as. */
  readonly serviceUser?: readonly ServiceUser[];
};

/** Adds options about how services run on this host. */
export const withServiceOptions = (program: Command, { allowService = [builtInWord] }: BuiltIn): Command =>
  program
    .addOption(
      new Option(
        '--allow-service <type,type>',
        'the service types that this host runs: built-in for those that come with Muster and take no command, none for no type',
      )
        .env('MUSTER_ALLOW_SERVICE')
        .default(allowService, allowService.join(',') || 'none')
        .argParser(checked(AllowedTypes)),
    )
    .option(
      '--service-user <[name=]user>',
      'the user that services, and processes that are children, run as; with a service type or a process prefix, only for that one; an agent that is root needs it',
      gathered(checked(ServiceUser)),
    );

/** The arguments of `muster-agent service report`. */
export type ServiceReportGiven = { readonly report: Report };
/** The arguments of `muster-agent service find`. */
export type FindGiven = { readonly name: ServiceName; readonly json?: true };

/** The arguments of `muster-agent service ask`. */
export type AskGiven = { readonly question: ServiceTypeName; readonly data?: unknown };

/** JSON on the command line. */
const Json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    context.addIssue(`not JSON: ${(error as Error).message}`);
    return z.NEVER;
  }
});

/**
 * The functions behind the commands about services; `T` is the type of the other options. `input` reads standard input.
 */
export type DoesServices<T> = {
  input(): Promise<string>;
  serviceReport(given: T & ServiceReportGiven): Promise<void>;
  serviceFind(given: T & FindGiven): Promise<void>;
  serviceAsk(given: T & AskGiven): Promise<void>;
  serviceList(given: T & { readonly json?: true }): void;
};

/** Adds the commands by which services report and ask, and operators view, the services of this host. */
export function withServiceCommands<T extends object>(program: Command, does: DoesServices<T>): Command {
  const service = program.command('service').description('the services that Muster runs on this host');
  const report = service
    .command('report')
    .description('report the state of a service, from inside its own command, to the agent that runs it');
  const says = (command: Command, reported: Report) => does.serviceReport({ ...command.optsWithGlobals<T>(), report: reported });
  report
    .command('ready')
    .description('the service is ready')
    .option('--address <address>', 'the address at which it can be reached', checked(Address))
    .option('--release <version>', 'the version that runs', checked(Version))
    .action(({ address, release: version }: { address?: string; release?: string }, command: Command) =>
      says(command, { is: 'ready', ...(address !== undefined && { address }), ...(version !== undefined && { version }) }),
    );
  report
    .command('stopping')
    .description('the service is about to end by itself; do not start it again')
    .action((_own, command: Command) => says(command, { is: 'stopping' }));
  report
    .command('acquired')
    .description('the service has acquired a resource')
    .argument('<kind>', 'the kind of the resource, such as database', checked(ServiceTypeName))
    .argument('<id>', 'the id of the resource', checked(ResourceId))
    .option('--exclusive', 'no other service holds it')
    .action((kind, id, { exclusive }: { exclusive?: true }, command: Command) =>
      says(command, { is: 'acquired', kind, id, hold: exclusive ? 'exclusive' : 'shared' }),
    );
  report
    .command('released')
    .description('the service has released a resource')
    .argument('<kind>', 'the kind of the resource, such as database', checked(ServiceTypeName))
    .argument('<id>', 'the id of the resource', checked(ResourceId))
    .action((kind, id, _own, command: Command) => says(command, { is: 'released', kind, id }));
  report
    .command('configured')
    .description('the service runs with another configuration, which it has changed itself')
    .argument(
      '<json>',
      'the whole configuration, as JSON; - reads it from standard input, so that no other user of this host sees a secret; an unchanged secret may be ********',
    )
    .action(async (given: string, _own, command: Command) => {
      const read = Json.pipe(ReportedConfiguration).safeParse(given === '-' ? await does.input() : given);
      if (!read.success) command.error(`error: the configuration is not valid: ${read.error.issues[0]!.message}`);
      await says(command, { is: 'configured', configuration: read.data });
    });
  report
    .command('failed')
    .description('the service has failed; end it and start it again')
    .argument('<reason>', 'why it failed', checked(Reason))
    .action((reason, _own, command: Command) => says(command, { is: 'failed', reason }));
  service
    .command('list')
    .description('list the services of this host as its agent last saw them')
    .option('--json', 'as JSON')
    .action((_own, command: Command) => does.serviceList(command.optsWithGlobals<T>()));
  service
    .command('find')
    .description('find where services of a name run in the zone')
    .argument('<name>', 'the service name', checked(ServiceName))
    .option('--json', 'as JSON')
    .action((name, _own, command: Command) => does.serviceFind({ ...command.optsWithGlobals<T>(), name }));
  service
    .command('ask')
    .description('ask Muster, from inside a service’s own command, a question that its type declares; exit code 1 if the answer is no')
    .argument('<question>', 'the name of the question, such as may-stop', checked(ServiceTypeName))
    .option('-d, --data <json>', 'the data of the question, as JSON', checked(Json))
    .action((question, _own, command: Command) => does.serviceAsk({ ...command.optsWithGlobals<T>(), question }));
  return program;
}

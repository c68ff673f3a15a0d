import { type Command, Option } from 'commander';
import * as z from 'zod';
import { ConfigurationSaid, ResourceId } from '../../../events/reported/service.ts';
import { ServiceName, ServiceTypeName } from '../../../lib/core/ids.ts';
import { checked, gathered } from '../../../lib/machine/command-line.ts';
import { AllowedTypes, type BuiltIn } from '../built-in.ts';
import { ServiceUser } from '../runs-as.ts';
import { builtInWord } from './allowed.ts';
import type { Report } from './hear.ts';
import { Address, Reason, Version } from './said.ts';

/** What the command line says about services. */
export type ServicesGiven = {
  /** The types that are run here; absent: those that come with Muster and take no command. */
  readonly allowService?: readonly string[];
  /** As whom services, and processes that are children, run. */
  readonly serviceUser?: readonly ServiceUser[];
};

/** How services are run on this host. */
export const withServiceOptions = (program: Command, { allowService = [builtInWord] }: BuiltIn): Command =>
  program
    .addOption(
      new Option(
        '--allow-service <type,type>',
        'which types of services this host runs; built-in stands for those that come with Muster and take no command, none for no type',
      )
        .env('MUSTER_ALLOW_SERVICE')
        .default(allowService, allowService.join(',') || 'none')
        .argParser(checked(AllowedTypes)),
    )
    .option(
      '--service-user <[name=]user>',
      'as whom services run, and processes that are children; with a type of service or a prefix for that alone; an agent that is root runs none without',
      gathered(checked(ServiceUser)),
    );

/** What `muster-agent service report` says. */
export type ServiceReportGiven = { readonly report: Report };
/** What `muster-agent service find` says. */
export type FindGiven = { readonly name: ServiceName; readonly json?: true };

/** What `muster-agent service ask` says. */
export type AskGiven = { readonly question: ServiceTypeName; readonly data?: unknown };

/** JSON, as the command line has it. */
const Json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    context.addIssue(`not JSON: ${(error as Error).message}`);
    return z.NEVER;
  }
});

/**
 * What is to be done by the commands about services; `T` is what the command line says besides. `input`: what stands on
 * standard input.
 */
export type DoesServices<T> = {
  input(): Promise<string>;
  serviceReport(given: T & ServiceReportGiven): Promise<void>;
  serviceFind(given: T & FindGiven): Promise<void>;
  serviceAsk(given: T & AskGiven): Promise<void>;
  serviceList(given: T & { readonly json?: true }): void;
};

/** What a service, and whoever looks after this host, may say and ask about its services. */
export function withServiceCommands<T extends object>(program: Command, does: DoesServices<T>): Command {
  const service = program.command('service').description('the services that Muster runs on this host');
  const report = service
    .command('report')
    .description('say what a service does, from inside its own command: a word to the agent that runs it');
  const says = (command: Command, word: Report) => does.serviceReport({ ...command.optsWithGlobals<T>(), report: word });
  report
    .command('ready')
    .description('it is ready')
    .option('--address <address>', 'where it can be reached', checked(Address))
    .option('--release <version>', 'which version of it runs', checked(Version))
    .action(({ address, release: version }: { address?: string; release?: string }, command: Command) =>
      says(command, { is: 'ready', ...(address !== undefined && { address }), ...(version !== undefined && { version }) }),
    );
  report
    .command('stopping')
    .description('it is about to end by itself, and is not to be started again')
    .action((_own, command: Command) => says(command, { is: 'stopping' }));
  report
    .command('acquired')
    .description('it has come to hold a resource')
    .argument('<kind>', 'such as database', checked(ServiceTypeName))
    .argument('<id>', 'which one', checked(ResourceId))
    .option('--exclusive', 'it alone')
    .action((kind, id, { exclusive }: { exclusive?: true }, command: Command) =>
      says(command, { is: 'acquired', kind, id, hold: exclusive ? 'exclusive' : 'shared' }),
    );
  report
    .command('released')
    .description('it holds a resource no more')
    .argument('<kind>', 'such as database', checked(ServiceTypeName))
    .argument('<id>', 'which one', checked(ResourceId))
    .action((kind, id, _own, command: Command) => says(command, { is: 'released', kind, id }));
  report
    .command('configured')
    .description('it runs with another configuration, which it has changed itself')
    .argument(
      '<json>',
      'the whole of it, as JSON; - reads it from standard input, so that no other user of this host sees a secret; one that is as it was may be ********',
    )
    .action(async (given: string, _own, command: Command) => {
      const read = Json.pipe(ConfigurationSaid).safeParse(given === '-' ? await does.input() : given);
      if (!read.success) command.error(`error: the configuration is not one: ${read.error.issues[0]!.message}`);
      await says(command, { is: 'configured', configuration: read.data });
    });
  report
    .command('failed')
    .description('it has failed, and is to be ended and started again')
    .argument('<reason>', 'why', checked(Reason))
    .action((reason, _own, command: Command) => says(command, { is: 'failed', reason }));
  service
    .command('list')
    .description('the services of this host as its agent last saw them')
    .option('--json', 'as JSON')
    .action((_own, command: Command) => does.serviceList(command.optsWithGlobals<T>()));
  service
    .command('find')
    .description('where in the zone services of a name are, as Muster says')
    .argument('<name>', 'the service name', checked(ServiceName))
    .option('--json', 'as JSON')
    .action((name, _own, command: Command) => does.serviceFind({ ...command.optsWithGlobals<T>(), name }));
  service
    .command('ask')
    .description('ask Muster, from inside a service’s own command, a question that its type declares; exit code 1 where its rule says no')
    .argument('<question>', 'its name, such as may-stop', checked(ServiceTypeName))
    .option('-d, --data <json>', 'what the question carries, as JSON', checked(Json))
    .action((question, _own, command: Command) => does.serviceAsk({ ...command.optsWithGlobals<T>(), question }));
  return program;
}

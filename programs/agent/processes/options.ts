import { type Command, Option } from 'commander';
import * as z from 'zod';
import { Fid } from '../../../lib/core/fid.ts';
import { secondMs } from '../../../lib/core/time.ts';
import { checked, gathered } from '../../../lib/machine/command-line.ts';
import type { NodeKind } from '../ledger.ts';

const runForm = /^([A-Za-z0-9][A-Za-z0-9_.-]*)=(.*\S.*)$/s;
/** `PREFIX=COMMAND`: the command, in words, that runs the processes of a prefix. */
export const RunCommand = z
  .string()
  .regex(runForm, 'a prefix and a command, such as m0d=/usr/sbin/m0d')
  .transform((text) => {
    const [, prefix = '', line = ''] = runForm.exec(text) ?? [];
    return { prefix, command: line.trim().split(/\s+/) };
  });
export type RunCommand = z.infer<typeof RunCommand>;

const modes = ['systemd', 'child', 'off'] as const;
/** How processes run: as units of systemd, as children of the agent, or not at all. */
export type ProcessMode = (typeof modes)[number];

/** The options of the command line about processes; times in ms. */
export type ProcessesGiven = {
  readonly processes?: ProcessMode;
  readonly run?: readonly RunCommand[];
  readonly readyAfter?: number;
  readonly readyLine?: string;
  readonly sysconfig?: string;
};
/** The arguments of `muster-agent process report`. */
export type ReportGiven = { readonly fid: Fid; readonly is: 'STARTED' | 'STOPPED'; readonly pid?: number };
/** The arguments of `muster-agent process configuration`. */
export type ConfigurationGiven = { readonly fid: Fid; readonly json?: true; readonly output?: string };

/** How processes run: as given, else as units of systemd on a host of a storage cluster. */
export const modeOf = ({ processes, kind }: Pick<ProcessesGiven, 'processes'> & { readonly kind: NodeKind }): ProcessMode =>
  processes ?? (kind === 'storage' ? 'systemd' : 'off');

/** The reason why these options do not fit together, for the operator; undefined when they do. */
export function faultOfProcesses(given: ProcessesGiven & { readonly kind: NodeKind }): string | undefined {
  const { run, readyAfter, readyLine } = given;
  const [flag] =
    Object.entries({ '--run': run, '--ready-after': readyAfter, '--ready-line': readyLine }).find(([, value]) => value !== undefined) ?? [];
  return flag !== undefined && modeOf(given) !== 'child' ? `${flag} needs --processes child` : undefined;
}

const seconds = z.coerce
  .number('a number')
  .nonnegative('0 or more')
  .transform((value) => value * secondMs);

/** Adds options about how the processes of a storage cluster run on this host. */
export function withProcessOptions(program: Command): Command {
  return program
    .addOption(
      new Option(
        '--processes <how>',
        'how processes of a storage cluster run here (default: systemd for --kind storage, else off)',
      ).choices(modes),
    )
    .option(
      '--run <prefix=command>',
      'child: the command that runs the processes of a prefix; give it for each prefix',
      gathered(checked(RunCommand)),
    )
    .option('--ready-after <seconds>', 'child: a process is ready after it has run this long (default: 1)', checked(seconds))
    .option('--ready-line <text>', 'child: a process is ready once it has printed this line')
    .option('--sysconfig <dir>', 'folder for the configuration files of the processes (default: /etc/sysconfig)');
}

type Does<T> = {
  processReport(given: T & ReportGiven): Promise<void>;
  processConfiguration(given: T & ConfigurationGiven): Promise<void>;
  processList(given: T & { readonly json?: true }): void;
};
/** The functions behind the commands about processes; `T` is the type of the other options. */
export type DoesProcesses<T> = Does<T>;

const pid = z.coerce.number('a number').int('a whole number').positive('1 or more');
const Word = z.enum(['STARTED', 'STOPPED'], 'STARTED or STOPPED');

/** Adds the commands by which launchers report, and operators view, the processes of this host. */
export function withProcessCommands<T extends object>(program: Command, does: Does<T>): Command {
  const process = program.command('process').description('the processes of a storage cluster on this host');
  process
    .command('report')
    .description('report a start or stop of a process that Muster does not start: for launchers, to the running agent')
    .argument('<fid>', 'the process', checked(Fid))
    .argument('<what>', 'STARTED or STOPPED', checked(Word))
    .option('--pid <pid>', 'the process that runs; needed with STARTED', checked(pid))
    .action((fid, is, _own, command: Command) => {
      const given = command.optsWithGlobals<T & { pid?: number }>();
      if (is === 'STARTED' && given.pid === undefined) return command.error('error: STARTED needs --pid <pid>');
      return does.processReport({ ...given, fid, is });
    });
  process
    .command('configuration')
    .description('print the configuration of a process, as Muster has it now')
    .argument('<fid>', 'the process', checked(Fid))
    .option('--json', 'as JSON')
    .option('-o, --output <file>', 'write to this file, readable by its owner and group only')
    .action((fid, _own, command: Command) => does.processConfiguration({ ...command.optsWithGlobals<T>(), fid }));
  process
    .command('list')
    .description('list the processes of this host as its agent last saw them')
    .option('--json', 'as JSON')
    .action((_own, command: Command) => does.processList(command.optsWithGlobals<T>()));
  return program;
}

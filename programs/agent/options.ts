import { Command, Option } from 'commander';
import * as z from 'zod';
import { musterVersion } from '../../lib/api/version.ts';
import { Fqdn, WatchAddress, ZoneName } from '../../lib/core/ids.ts';
import { checked, Endpoint } from '../../lib/machine/command-line.ts';
import type { BuiltIn } from './built-in.ts';
import { doctor, withConfigurationFile } from './configuration-file.ts';
import { type Told, toldTo } from './doctor/told.ts';
import { endpointDefault } from './image.ts';
import { NodeKind } from './ledger.ts';
import { type DoesProcesses, type ProcessesGiven, withProcessCommands, withProcessOptions } from './processes/options.ts';
import { type DoesServices, type ServicesGiven, withServiceCommands, withServiceOptions } from './services/options.ts';
import { type SiteGiven, withSiteOptions } from './station/options.ts';
import { DayWindow, WatchSource } from './watch-source.ts';

/** What the command line of `muster-agent` says. */
export type AgentOptionsGiven = ProcessesGiven &
  ServicesGiven &
  SiteGiven & {
    /** Absent: from the folder, else this machine's own. */
    readonly endpoint?: string;
    readonly insecure?: true;
    readonly config?: string;
    readonly home: string;
    readonly token?: string;
    readonly tokenFile?: string;
    readonly fqdn?: Fqdn;
    readonly watch?: string;
    readonly kind: NodeKind;
    readonly zone?: ZoneName;
    readonly capacity?: number;
    readonly systemsSeen?: string;
    readonly watchSource?: WatchSource;
    readonly manageKeys?: true;
    readonly saltKey?: string;
    readonly saltEvents?: string;
    readonly unregisterWindow?: DayWindow;
    readonly unregisterBatch?: number;
    readonly metadataHook?: string;
    readonly releaseHook?: string;
    readonly rotateDays?: number;
  };
/** What `muster-agent leave` says; `until` is `90m`, `2h`, `1d` or a moment. */
export type LeaveGiven = AgentOptionsGiven & { readonly hold?: true; readonly until?: string };
/** What `muster-agent doctor` says, and what it is told itself. */
export type DoctorGiven = AgentOptionsGiven & { readonly json?: true };
/** What `muster-agent status` says. */
export type StatusGiven = AgentOptionsGiven & { readonly json?: true };

const examples = `
Examples:
  $ muster-agent --fqdn node1.acme.test
      Join the zone default as node1.acme.test, and keep it alive.
  $ muster-agent --token-file /run/secrets/join-token
      Join by a token; without one the host waits until an administrator admits it.
  $ muster-agent fingerprint
      Print the fingerprint that the administrator compares before admitting this host.
  $ muster-agent --endpoint https://muster.acme.test --systems-seen /run/minions --release-hook /usr/local/bin/make-knock
      Report which client systems are here; run make-knock with the fingerprints of those that are to move on its input.
  $ muster-agent --watch-source salt-master:/ --manage-keys
      Learn from the Salt master of this host who is here, and accept, reject and remove its minions’ keys as Muster says.
  $ muster-agent leave --hold --until 2h
      Say that this node is upgraded: its client systems are kept for it for two hours.
  $ muster-agent leave
      Say that this node goes for good: its client systems move, and the agent ends when they have.
  $ muster-agent doctor
      Say what is missing on this host, if anything: exit code 0 nothing, 1 something.
  $ muster-agent --kind storage --zone storage
      Run the Mero processes of this host as units of systemd, as Muster says.

SIGTERM and SIGINT stop the agent at once and without leaving: a reboot moves nobody.
Exit codes: 0 stopped, or left as it said; 1 Muster wants this node no more, or something is missing (doctor), 2 wrong usage, 69 Muster cannot be reached (leave, process configuration), or no agent
runs here (process report, service report and find),
70 a fault of the agent, 74 a file cannot be used, 75 another agent uses the folder, or Muster says to try again.`;

type Does = DoesProcesses<AgentOptionsGiven> &
  DoesServices<AgentOptionsGiven> & {
    run(options: AgentOptionsGiven): Promise<void>;
    leave(options: LeaveGiven): Promise<void>;
    rotate(options: AgentOptionsGiven): void;
    status(options: StatusGiven): void;
    fingerprint(options: AgentOptionsGiven): void;
    doctor(options: DoctorGiven, told: Told): Promise<void>;
  };

/** The command line of `muster-agent`; what it is to do is handed in, and what is built into the executable. */
export function agentProgram(does: Does, builtIn: BuiltIn = {}): Command {
  const program = new Command('muster-agent')
    .description('The node agent: makes this host a node of Muster and keeps it one.')
    .version(musterVersion, '--version', 'print the version')
    .addOption(
      new Option(
        '--endpoint <url>',
        `where Muster is (default: what the file endpoint in the folder says, else ${builtIn.endpoint ?? endpointDefault})`,
      )
        .env('MUSTER_ENDPOINT')
        .argParser(checked(Endpoint)),
    )
    .option('--insecure', 'call Muster without TLS: whoever is on the way can read tokens and answer in its place')
    .addOption(
      new Option(
        '--token <token>',
        'lets this host in, once or as one of a set; other users of this host may see it on the command line',
      ).env('MUSTER_JOIN_TOKEN'),
    )
    .option(
      '--token-file <file>',
      'holds the token (default: the file token in the folder; none: an administrator or a rule admits the host)',
    )
    .addOption(
      new Option('--fqdn <name>', 'the name that client systems are told (default: the ledger’s, else the host name)')
        .env('MUSTER_FQDN')
        .argParser(checked(Fqdn)),
    )
    .option(
      '--watch <host:port>',
      'where client systems see that the node lives (default: <fqdn>:4505; 127.0.0.1:4505 when Muster is on this machine)',
      checked(WatchAddress),
    )
    .addOption(new Option('--kind <kind>', 'what the host runs').choices(NodeKind.options).default('uyuni'))
    .option('--zone <name>', 'the zone to join (default: default)', checked(ZoneName))
    .option(
      '--capacity <n>',
      'the most client systems it should have (default: no limit)',
      checked(z.coerce.number('a number').int('a whole number').positive('1 or more')),
    )
    .option(
      '--home <dir>',
      'folder for the ledger; an image of a host may carry it with the files endpoint and token in it',
      builtIn.home ?? '.muster-agent',
    )
    .option('--systems-seen <file>', 'the same as --watch-source file:<file>')
    .option('--release-hook <command>', 'gets the fingerprints of client systems to move on its input, and makes them knock')
    .option(
      '--rotate-days <n>',
      'take another key when this one is so many days old (default: only by muster-agent rotate)',
      checked(z.coerce.number('a number').int('a whole number').positive('1 or more')),
    )
    .addHelpText('after', examples)
    .action((options: AgentOptionsGiven) => does.run(options));
  const whole = withConfigurationFile(
    withSiteOptions(withServiceOptions(withProcessOptions(withSystemsOptions(program)), builtIn), builtIn),
    builtIn,
  );
  return withServiceCommands(withProcessCommands(withDoctor(withLedgerCommands(whole, does), does, builtIn), does), does);
}

/** How the agent knows the client systems that are here, and what it does with their keys. */
function withSystemsOptions(program: Command): Command {
  return program
    .addOption(
      new Option('--watch-source <source>', 'which client systems are here: file:PATH, command:COMMAND or salt-master:ROOT')
        .argParser(checked(WatchSource))
        .conflicts('systemsSeen'),
    )
    .option('--manage-keys', 'salt-master: accept, reject and remove minions’ keys as Muster says')
    .option('--salt-key <command>', 'salt-master: what does that (default: salt-key)')
    .option(
      '--salt-events <command>',
      'salt-master: prints the event bus, such as “salt-run state.event” (default: the cache alone is read)',
    )
    .option(
      '--unregister-window <hh:mm-hh:mm>',
      'salt-master: when keys of client systems that have moved may be removed (default: 01:00-05:00)',
      checked(DayWindow),
    )
    .option(
      '--unregister-batch <n>',
      'salt-master: how many at once, every quarter of an hour (default: 100)',
      checked(z.coerce.number('a number').int('a whole number').positive('1 or more')),
    )
    .option(
      '--metadata-hook <command>',
      'salt-master: run for each client system that came here or whose metadata changed, with its documents as JSON on its input',
    );
}

/** What looks for what is missing. */
function withDoctor(program: Command, does: Does, builtIn: BuiltIn): Command {
  program
    .command(doctor)
    .description('say what the agent needs, whether it is there, and how to mend what is not; changes nothing')
    .option('--json', 'as JSON')
    .action((_own, command: Command) => {
      const told = toldTo(program, builtIn);
      return does.doctor(command.optsWithGlobals<DoctorGiven>(), told);
    });
  return program;
}

/** What may be asked while the agent runs beside, by its ledger. */
function withLedgerCommands(program: Command, does: Does): Command {
  program
    .command('leave')
    .description('tell Muster that this node goes on purpose')
    .option('--hold', 'keep its client systems for it: it comes back')
    .option('--until <when>', '90m, 2h, 1d, or a moment such as 2031-05-01T12:00:00Z')
    .action((_own, command: Command) => does.leave(command.optsWithGlobals<LeaveGiven>()));
  program
    .command('rotate')
    .description('take another key, if this one may have been seen: the agent that runs makes it, and the node stays what it is')
    .action((_own, command: Command) => does.rotate(command.optsWithGlobals<AgentOptionsGiven>()));
  program
    .command('status')
    .description('what the ledger says')
    .option('--json', 'as JSON')
    .action((_own, command: Command) => does.status(command.optsWithGlobals<StatusGiven>()));
  program
    .command('fingerprint')
    .description('print the fingerprint of this host’s key; makes the key when it has none')
    .action((_own, command: Command) => does.fingerprint(command.optsWithGlobals<AgentOptionsGiven>()));
  return program;
}

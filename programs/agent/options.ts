import { Command, Option } from 'commander';
import * as z from 'zod';
import { musterVersion } from '../../lib/api/version.ts';
import { Fqdn, WatchAddress, ZoneName } from '../../lib/core/ids.ts';
import { checked, Endpoint } from '../../lib/machine/command-line.ts';
import type { BuiltIn } from './built-in.ts';
import { doctor, withConfigurationFile } from './configuration-file.ts';
import { type GivenSettings, settingsOf } from './doctor/told.ts';
import { endpointDefault } from './image.ts';
import { NodeKind } from './ledger.ts';
import { type DoesProcesses, type ProcessesGiven, withProcessCommands, withProcessOptions } from './processes/options.ts';
import { type DoesServices, type ServicesGiven, withServiceCommands, withServiceOptions } from './services/options.ts';
import { type SiteGiven, withSiteOptions } from './station/options.ts';
import { AllowedActions, type Doing } from './uyuni/actions/allowed.ts';
import { type DoesUyuni, withUyuniCommands } from './uyuni/options.ts';
import { DayWindow, WatchSource } from './watch-source.ts';

/** The options of the command line of `muster-agent`. */
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
    readonly uyuniAccount?: string;
    readonly allowActions?: readonly Doing[];
    readonly manageContent?: true;
    readonly releaseHook?: string;
    readonly salt?: string;
    readonly knockCommand?: string;
    readonly reportChanges?: string;
    readonly enter?: string;
    readonly rotateDays?: number;
  };
/** The options of `muster-agent leave`; `until` is `90m`, `2h`, `1d` or a moment. */
export type LeaveGiven = AgentOptionsGiven & { readonly hold?: true; readonly until?: string };
/** The options of `muster-agent doctor`. */
export type DoctorGiven = AgentOptionsGiven & { readonly json?: true };
/** The options of `muster-agent status`. */
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
      Report which client systems are here; run make-knock with the fingerprints of those that must move on its input.
  $ muster-agent --watch-source salt-master:/ --manage-keys
      Learn from the Salt master of this host which client systems are here; accept, reject and remove minions’ keys as Muster decides.
  $ muster-agent leave --hold --until 2h
      Announce that this node is away, such as for an upgrade: its client systems wait for it for two hours.
  $ muster-agent leave
      Announce that this node leaves for good: its client systems move, and then the agent ends.
  $ muster-agent doctor
      Print what is missing on this host: exit code 0 if nothing is, 1 if something is.
  $ muster-agent --kind storage --zone storage
      Run the Mero processes of this host as units of systemd, as Muster orders.

SIGTERM and SIGINT stop the agent at once. The node does not leave: a reboot moves no client system.
Exit codes: 0 stopped, or left as announced; 1 Muster has removed this node, or something is missing (doctor), 2 wrong usage, 69 Muster cannot be reached (leave, process configuration), or no agent
runs here (process report, service report and find),
70 a fault of the agent, 74 a file cannot be used, 75 another agent uses the folder, or Muster asks to try again.`;

type Does = DoesProcesses<AgentOptionsGiven> &
  DoesServices<AgentOptionsGiven> &
  DoesUyuni & {
    run(options: AgentOptionsGiven): Promise<void>;
    leave(options: LeaveGiven): Promise<void>;
    rotate(options: AgentOptionsGiven): void;
    status(options: StatusGiven): void;
    fingerprint(options: AgentOptionsGiven): void;
    doctor(options: DoctorGiven, settings: GivenSettings): Promise<void>;
  };

/** The command line of `muster-agent`; the caller gives the functions that carry it out, and the built-in settings. */
export function agentProgram(does: Does, builtIn: BuiltIn = {}): Command {
  const program = new Command('muster-agent')
    .description('The node agent: makes this host a node of Muster and keeps it one.')
    .version(musterVersion, '--version', 'print the version')
    .addOption(
      new Option(
        '--endpoint <url>',
        `the address of Muster (default: from the file endpoint in the folder, else ${builtIn.endpoint ?? endpointDefault})`,
      )
        .env('MUSTER_ENDPOINT')
        .argParser(checked(Endpoint)),
    )
    .option('--insecure', 'call Muster without TLS: anyone on the network path can read tokens and answer in its place')
    .addOption(
      new Option(
        '--token <token>',
        'join token, for this host alone or for a set of hosts; other users of this host may see it on the command line',
      ).env('MUSTER_JOIN_TOKEN'),
    )
    .option(
      '--token-file <file>',
      'file that holds the token (default: the file token in the folder; none: an administrator or a rule admits the host)',
    )
    .addOption(
      new Option('--fqdn <name>', 'the name under which client systems reach this host (default: the ledger’s, else the host name)')
        .env('MUSTER_FQDN')
        .argParser(checked(Fqdn)),
    )
    .option(
      '--watch <host:port>',
      'where client systems check that the node is alive (default: <fqdn>:4505; 127.0.0.1:4505 when Muster is on this machine)',
      checked(WatchAddress),
    )
    .addOption(new Option('--kind <kind>', 'what the host runs').choices(NodeKind.options).default('uyuni'))
    .option('--zone <name>', 'the zone to join (default: default)', checked(ZoneName))
    .option(
      '--capacity <n>',
      'the most client systems that the node should have (default: no limit)',
      checked(z.coerce.number('a number').int('a whole number').positive('1 or more')),
    )
    .option(
      '--home <dir>',
      'folder for the ledger; an image of a host may carry it with the files endpoint and token in it',
      builtIn.home ?? '.muster-agent',
    )
    .option('--systems-seen <file>', 'the same as --watch-source file:<file>')
    .option(
      '--release-hook <command>',
      'command that makes client systems knock: it gets the fingerprints of those that must move on its input; or “salt”: a Salt master reaches them by their minions',
    )
    .option('--salt <command>', '--release-hook salt: the command that sends minions a job (default: salt)')
    .option(
      '--knock-command <command>',
      '--release-hook salt: what minions run to make the daemon beside them knock (default: systemctl sends its unit SIGHUP)',
    )
    .option(
      '--report-changes <file>',
      'report what changes on the Uyuni server whose configuration this is (/etc/rhn/rhn.conf), from its outbox (muster-agent uyuni install)',
    )
    .option(
      '--enter <file>',
      'people who are signed in to Muster enter the Uyuni server of this host, as the logins that this file gives them (JSON: by, logins, same, organisation, origins, rhnConf)',
    )
    .option(
      '--rotate-days <n>',
      'replace the key when it is this many days old (default: only by muster-agent rotate)',
      checked(z.coerce.number('a number').int('a whole number').positive('1 or more')),
    )
    .addHelpText('after', examples)
    .action((options: AgentOptionsGiven) => does.run(options));
  const whole = withConfigurationFile(
    withSiteOptions(withServiceOptions(withProcessOptions(withSystemsOptions(program)), builtIn), builtIn),
    builtIn,
  );
  const withCommands = withServiceCommands(withProcessCommands(withDoctor(withLedgerCommands(whole, does), does, builtIn), does), does);
  return withUyuniCommands(withCommands, does);
}

/** Adds options about which client systems are here, and about the management of their keys. */
function withSystemsOptions(program: Command): Command {
  return program
    .addOption(
      new Option('--watch-source <source>', 'which client systems are here: file:PATH, command:COMMAND or salt-master:ROOT')
        .argParser(checked(WatchSource))
        .conflicts('systemsSeen'),
    )
    .option('--manage-keys', 'salt-master: accept, reject and remove minions’ keys as Muster decides')
    .option('--salt-key <command>', 'salt-master: command that manages the keys (default: salt-key)')
    .option(
      '--salt-events <command>',
      'salt-master: command that prints the event bus, such as “salt-run state.event” (default: only read the cache)',
    )
    .option(
      '--unregister-window <hh:mm-hh:mm>',
      'salt-master: when the agent may remove keys of client systems that have moved (default: 01:00-05:00)',
      checked(DayWindow),
    )
    .option(
      '--unregister-batch <n>',
      'salt-master: how many keys to remove at once, every quarter of an hour (default: 100)',
      checked(z.coerce.number('a number').int('a whole number').positive('1 or more')),
    )
    .option(
      '--metadata-hook <command>',
      'salt-master: command to run for each client system that came here or whose metadata changed; its input is their documents as JSON',
    )
    .option(
      '--uyuni-account <file>',
      'salt-master: keep the metadata of client systems on the Uyuni server of this host, with the account in this file (JSON: address, login, password; mode 0600)',
    )
    .option(
      '--allow-actions <list>',
      'with --uyuni-account: what the server may be asked to do with client systems, of highstate,packages,errata,reboot,command, or none (default: all but command)',
      checked(AllowedActions),
    )
    .option(
      '--manage-content',
      'with --uyuni-account: let operators of the zone have the common content of the server read, and be as a revision says (channels, keys, projects and the like)',
    );
}

/** Adds the command that checks what is missing. */
function withDoctor(program: Command, does: Does, builtIn: BuiltIn): Command {
  program
    .command(doctor)
    .description('check what the agent needs, and say how to fix what is missing; changes nothing')
    .option('--json', 'as JSON')
    .action((_own, command: Command) => {
      const settings = settingsOf(program, builtIn);
      return does.doctor(command.optsWithGlobals<DoctorGiven>(), settings);
    });
  return program;
}

/** Adds the commands that use the ledger, also while the agent runs. */
function withLedgerCommands(program: Command, does: Does): Command {
  program
    .command('leave')
    .description('announce to Muster that this node leaves on purpose')
    .option('--hold', 'have its client systems wait: the node comes back')
    .option('--until <when>', '90m, 2h, 1d, or a moment such as 2031-05-01T12:00:00Z')
    .action((_own, command: Command) => does.leave(command.optsWithGlobals<LeaveGiven>()));
  program
    .command('rotate')
    .description('replace the key, for instance after a leak: the running agent makes the new one, and the node stays the same')
    .action((_own, command: Command) => does.rotate(command.optsWithGlobals<AgentOptionsGiven>()));
  program
    .command('status')
    .description('print what the ledger records')
    .option('--json', 'as JSON')
    .action((_own, command: Command) => does.status(command.optsWithGlobals<StatusGiven>()));
  program
    .command('fingerprint')
    .description('print the fingerprint of this host’s key; makes the key when it has none')
    .action((_own, command: Command) => does.fingerprint(command.optsWithGlobals<AgentOptionsGiven>()));
  return program;
}

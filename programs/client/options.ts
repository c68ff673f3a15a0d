import { Command, Option } from 'commander';
import * as z from 'zod';
import { Fqdn, Tag, ZoneName } from '../../lib/core/ids.ts';
import { checked, Endpoint, gathered } from '../../lib/machine/command-line.ts';

/** The drivers. */
const drivers = ['auto', 'salt-minion', 'venv-salt-minion', 'traditional', 'command'] as const;

/** The options of `muster-client`. */
export type ClientOptions = {
  readonly endpoint: string;
  readonly insecure?: true;
  readonly fqdn?: Fqdn;
  readonly home: string;
  readonly drive?: string;
  readonly driver?: (typeof drivers)[number];
  readonly dryRun?: true;
  readonly root?: string;
  readonly systemctl?: string;
  readonly caCertificate?: string;
  readonly machineId?: string;
  readonly minionKey?: string;
  readonly minionId?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly fact?: readonly (readonly [string, string])[];
  readonly tag?: readonly string[];
  readonly zone?: ZoneName;
};

const examples = `
Examples:
  $ muster-client
      Knock at Muster on this machine, and wait to be accepted.
  $ muster-client --endpoint https://muster.acme.test --drive /usr/local/bin/drive-minion --tag rack:r12
      Run "drive-minion start <node>" when a node is assigned, and "drive-minion stop" when there is none.
  $ muster-client --driver auto
      Point the Salt minion or the traditional client that is installed here at the node, and stop it while there is none.
  $ muster-client drive start node1.acme.test --driver auto --dry-run
      Print what would be done to bring this machine up for node1, and do nothing.
  $ muster-client fingerprint
      Print the fingerprints that the administrator compares before accepting: the daemon's, and the minion's as Salt shows it.
  $ muster-client status
      Print this machine’s node, and whether what the daemon drives has ended by itself.
  $ muster-client --token-file /run/secrets/muster-token
      Be accepted at once, by an onboarding token.

Signals: SIGHUP knocks now; SIGTERM and SIGINT end the daemon and leave what it drives as it is.
Exit codes: 0 ended by a signal, 1 this machine is banned, 2 wrong usage, 70 a fault of the daemon,
74 a file cannot be used, 75 another daemon uses the folder.`;

const Fact = z
  .string()
  .regex(/^[^=\s]{1,64}=.{0,256}$/, 'a fact is name=value')
  .transform((text): [string, string] => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]);

/** The options of `muster-client status`. */
export type StatusGiven = ClientOptions & { readonly json?: true };

type Does = {
  run(options: ClientOptions): Promise<void>;
  fingerprint(options: ClientOptions): void;
  status(given: StatusGiven): void;
  /** Drives once by hand; without a node, stops. */
  drive(options: ClientOptions, fqdn: Fqdn | undefined): Promise<void>;
};

/** The command line of `muster-client`; `does` holds its actions. */
export function clientProgram(does: Does): Command {
  const program = new Command('muster-client')
    .description('The client daemon: knocks at Muster, learns this machine’s node, and drives what reports there.')
    .addOption(
      new Option('--endpoint <url>', 'the address of Muster')
        .env('MUSTER_ENDPOINT')
        .default('http://127.0.0.1:8080')
        .argParser(checked(Endpoint)),
    )
    .option('--insecure', 'call Muster without TLS: others on the network can read tokens and answer in its place')
    .option('--fqdn <name>', 'this machine’s fully qualified name (default: its host name)', checked(Fqdn))
    .option('--home <dir>', 'folder for key and state', '.muster-client')
    .option('--drive <command>', 'run as “COMMAND start <node>” and “COMMAND stop”; each may run again after it has succeeded')
    .addOption(new Option('--driver <driver>', 'what to drive (default: command with --drive, else nothing)').choices(drivers))
    .option(
      '--machine-id <id>',
      'this machine’s id (default: that in /etc/machine-id)',
      checked(z.string().min(1, 'it is empty').max(64, 'at most 64 characters')),
    )
    .option(
      '--minion-key <file>',
      'the Salt minion’s private key, which proves that it is on this machine (default: Salt’s own, if it can be read)',
    )
    .option(
      '--minion-id <id>',
      'the minion’s name (default: the one that Salt stored, else this machine’s name)',
      checked(z.string().min(1).max(255)),
    )
    .addOption(
      new Option(
        '--token <token>',
        'an onboarding token, by which the machine is accepted at once; other users of it may see the token in the process list',
      )
        .env('MUSTER_ONBOARDING_TOKEN')
        .conflicts('tokenFile'),
    )
    .option('--token-file <file>', 'the file that holds an onboarding token')
    .option('--fact <name=value>', 'a fact for the administrator; may be repeated', gathered(checked(Fact)))
    .option('--tag <tag>', 'a tag to suggest; may be repeated', gathered(checked(Tag)))
    .option(
      '--zone <zone>',
      'the zone to ask for: its administrators see this machine wait (default: none; administrators of all zones see it)',
      checked(ZoneName),
    )
    .addHelpText('after', examples)
    .action((options: ClientOptions) => does.run(options));
  withDriverOptions(program);
  program
    .command('fingerprint')
    .description('print this machine’s fingerprint, and its minion’s; makes a key when there is none')
    .action((_own, command: Command) => does.fingerprint(command.optsWithGlobals<ClientOptions>()));
  program
    .command('status')
    .description('print what the daemon last stored: its status, its node, and how what it drives is')
    .option('--json', 'as JSON')
    .action((_own, command: Command) => does.status(command.optsWithGlobals<StatusGiven>()));
  const drive = program.command('drive').description('drive once by hand, while no daemon runs');
  drive
    .command('start')
    .argument('<node>', 'its fully qualified name', checked(Fqdn))
    .description('bring the driven software up for a node')
    .action((fqdn: Fqdn, _own, command: Command) => does.drive(command.optsWithGlobals<ClientOptions>(), fqdn));
  drive
    .command('stop')
    .description('stop the driven software')
    .action((_own, command: Command) => does.drive(command.optsWithGlobals<ClientOptions>(), undefined));
  return program;
}

/** Adds the options that tell how and where services are driven. */
function withDriverOptions(program: Command): void {
  program
    .option('--dry-run', 'print what the driver would do, without doing or confirming it')
    .option('--root <dir>', 'the root of the driven files (default: /); another one needs --systemctl')
    .option('--systemctl <program>', 'called as “PROGRAM start|stop|is-active <unit>” (default: systemctl)')
    .option('--ca-certificate <file>', 'traditional client: the CA certificate for the node (default: the one that up2date names)');
}

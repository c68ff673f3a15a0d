import { Command, Option } from 'commander';
import * as z from 'zod';
import { Fqdn, Tag, ZoneName } from '../../lib/core/ids.ts';
import { checked, Endpoint, gathered } from '../../lib/machine/command-line.ts';

/** What can be driven. */
const drivers = ['auto', 'salt-minion', 'venv-salt-minion', 'traditional', 'command'] as const;

/** What the command line of `muster-client` says. */
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
      Run "drive-minion start <node>" when told a node, and "drive-minion stop" when it has none.
  $ muster-client --driver auto
      Point the Salt minion or the traditional client that is installed here at the node, and stop it while there is none.
  $ muster-client drive start node1.acme.test --driver auto --dry-run
      Print what would be done to bring this machine up for node1, and do nothing.
  $ muster-client fingerprint
      Print the fingerprints that the administrator compares before accepting: the daemon's, and the minion's as Salt shows it.
  $ muster-client --token-file /run/secrets/muster-token
      Be accepted at once, by an onboarding token.

Signals: SIGHUP knocks now; SIGTERM and SIGINT end the daemon and leave what it drives as it is.
Exit codes: 0 ended by a signal, 1 this machine is banned, 2 wrong usage, 70 a fault of the daemon,
74 a file cannot be used, 75 another daemon uses the folder.`;

const Fact = z
  .string()
  .regex(/^[^=\s]{1,64}=.{0,256}$/, 'a fact is name=value')
  .transform((text): [string, string] => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]);

type Does = {
  run(options: ClientOptions): Promise<void>;
  fingerprint(options: ClientOptions): void;
  /** Drives once, by hand; without a node: stops. */
  drive(options: ClientOptions, fqdn: Fqdn | undefined): Promise<void>;
};

/** The command line of `muster-client`; what it is to do is handed in. */
export function clientProgram(does: Does): Command {
  const program = new Command('muster-client')
    .description('The client daemon: knocks at Muster, learns this machine’s node, and drives what reports there.')
    .addOption(
      new Option('--endpoint <url>', 'where Muster is')
        .env('MUSTER_ENDPOINT')
        .default('http://127.0.0.1:8080')
        .argParser(checked(Endpoint)),
    )
    .option('--insecure', 'call Muster without TLS: whoever is on the way can read tokens and answer in its place')
    .option('--fqdn <name>', 'this machine’s fully qualified name (default: its host name)', checked(Fqdn))
    .option('--home <dir>', 'folder for key and state', '.muster-client')
    .option('--drive <command>', 'run as “COMMAND start <node>” and “COMMAND stop”; both may come twice')
    .addOption(new Option('--driver <driver>', 'what is driven (default: command with --drive, else nothing)').choices(drivers))
    .option(
      '--machine-id <id>',
      'default: what /etc/machine-id says',
      checked(z.string().min(1, 'it is empty').max(64, 'at most 64 characters')),
    )
    .option(
      '--minion-key <file>',
      'the Salt minion’s private key, which proves that it is on this machine (default: Salt’s own, if it can be read)',
    )
    .option(
      '--minion-id <id>',
      'the minion’s name (default: what Salt wrote down, else this machine’s name)',
      checked(z.string().min(1).max(255)),
    )
    .addOption(
      new Option(
        '--token <token>',
        'an onboarding token, by which the machine is accepted at once; others on this machine may see it in the list of processes',
      )
        .env('MUSTER_ONBOARDING_TOKEN')
        .conflicts('tokenFile'),
    )
    .option('--token-file <file>', 'the file that holds an onboarding token')
    .option('--fact <name=value>', 'something the administrator should know; may be repeated', gathered(checked(Fact)))
    .option('--tag <tag>', 'a tag to suggest; may be repeated', gathered(checked(Tag)))
    .option(
      '--zone <zone>',
      'the zone to ask for: its administrators see this machine wait (default: none, which those of all zones see)',
      checked(ZoneName),
    )
    .addHelpText('after', examples)
    .action((options: ClientOptions) => does.run(options));
  withDriverOptions(program);
  program
    .command('fingerprint')
    .description('print this machine’s fingerprint, and its minion’s; makes its key when it has none')
    .action((_own, command: Command) => does.fingerprint(command.optsWithGlobals<ClientOptions>()));
  const drive = program.command('drive').description('drive once by hand, while no daemon runs');
  drive
    .command('start')
    .argument('<node>', 'its fully qualified name', checked(Fqdn))
    .description('bring what is driven up for a node')
    .action((fqdn: Fqdn, _own, command: Command) => does.drive(command.optsWithGlobals<ClientOptions>(), fqdn));
  drive
    .command('stop')
    .description('stop what is driven')
    .action((_own, command: Command) => does.drive(command.optsWithGlobals<ClientOptions>(), undefined));
  return program;
}

/** How services are driven, and where. */
function withDriverOptions(program: Command): void {
  program
    .option('--dry-run', 'print what the driver would do, and do and confirm nothing')
    .option('--root <dir>', 'where the files are that are driven (default: /); another one needs --systemctl')
    .option('--systemctl <program>', 'called as “PROGRAM start|stop|is-active <unit>” (default: systemctl)')
    .option('--ca-certificate <file>', 'traditional client: the certificate by which the node is trusted (default: what up2date names)');
}

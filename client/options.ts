import { Command, Option } from 'commander';
import * as z from 'zod';
import { Fqdn, Tag } from '../lib/ids.ts';
import { checked, Endpoint, gathered } from '../lib/machine/command-line.ts';

/** What the command line of `muster-client` says. */
export type ClientOptions = {
  readonly endpoint: string;
  readonly insecure?: true;
  readonly fqdn?: Fqdn;
  readonly home: string;
  readonly drive?: string;
  readonly machineId?: string;
  readonly minionKey?: string;
  readonly minionId?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly fact?: readonly (readonly [string, string])[];
  readonly tag?: readonly string[];
};

const examples = `
Examples:
  $ muster-client
      Knock at Muster on this machine, and wait to be accepted.
  $ muster-client --endpoint https://muster.acme.test --drive /usr/local/bin/drive-minion --tag rack:r12
      Run "drive-minion start <node>" when told a node, and "drive-minion stop" when it has none.
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

/** The command line of `muster-client`; what it is to do is handed in. */
export function clientProgram(does: { run(options: ClientOptions): Promise<void>; fingerprint(options: ClientOptions): void }): Command {
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
    .addHelpText('after', examples)
    .action((options: ClientOptions) => does.run(options));
  program
    .command('fingerprint')
    .description('print this machine’s fingerprint, and its minion’s; makes its key when it has none')
    .action((_own, command: Command) => does.fingerprint(command.optsWithGlobals<ClientOptions>()));
  return program;
}

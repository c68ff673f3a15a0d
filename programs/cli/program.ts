import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { Unreachable } from '../../lib/api/client.ts';
import { NotOurs } from '../../lib/machine/own.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type Cli, cliOn, endpointDefault, type OutputChoice, type Verb } from './cli.ts';
import { type Noun, tree } from './commands/tree.ts';
import { contextOf } from './contexts.ts';
import { type ExitCode, exitCodes, Failure } from './exit-codes.ts';
import { withFormerOptions, withoutAddresses } from './former-options.ts';
import { examples } from './help.ts';
import { formatOf, watchMsOf, withFormats } from './output/format.ts';
import { json } from './output/json.ts';
import { printable } from './output/printable.ts';
import { Interrupted, type Terminal } from './terminal.ts';
import { helpTerm, helpUsage } from './verbs.ts';

/** The whole tree of commands on this terminal; nothing runs until it parses arguments. */
export function programOn(terminal: Terminal): Command {
  const { name, out, err, columns, colours } = terminal;
  const program = new Command(name)
    .description('Manage the nodes, client systems, storage clusters and services of a Muster deployment')
    .version(packageJson.version, '--version', 'print the version')
    .option('--endpoint <url>', `address of the deployment; else MUSTER_ENDPOINT, else the context, else ${endpointDefault}`)
    .option('--context <name>', 'context to use; else MUSTER_CONTEXT, else the current one')
    .option('--json', 'print the JSON of the API')
    .option('--yes', 'do not ask for confirmation')
    .option('--insecure', 'send tokens over plain http, where anyone on the network can read and use them')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: helpTerm, commandUsage: helpUsage })
    .configureOutput({
      writeOut: out,
      writeErr: err,
      // The error repeats the words of the command line, which a script may have from anywhere.
      outputError: (text, write) =>
        write(
          text
            .replace(/^error: /, `${name}: `)
            .split('\n')
            .map(printable)
            .join('\n'),
        ),
      getOutHelpWidth: () => columns ?? 100,
      getErrHelpWidth: () => columns ?? 100,
      getOutHasColors: () => colours.out,
      getErrHasColors: () => colours.err,
    })
    .exitOverride();
  const output: OutputChoice = { format: undefined };
  const cli = cliOn(terminal, program, output);
  for (const { title, parts } of tree) {
    program.commandsGroup(title);
    for (const part of parts) add(program, part, cli);
  }
  withFormats(program);
  program.hook('preAction', async (_program, command) => {
    inZone(command, program.opts<{ context?: string }>().context, terminal);
    output.format = formatOf(command);
    if (output.format === 'yaml') output.yaml = (await import('./output/yaml.ts')).yaml;
  });
  withFormerOptions(program, cli.say);
  examples(
    program,
    name,
    ['status'],
    ['onboarding list', 'machines that wait to be accepted'],
    ['system accept 1f2e3d4c --tag web'],
    ['explain node node7.acme.org'],
  );
  return program;
}

/** Applies the zone of MUSTER_ZONE or of the context to a command that can take a zone and names none itself. */
function inZone(command: Command, context: string | undefined, { env }: Terminal): void {
  const option = command.options.find(({ long }) => long === '--zone');
  const given = command.getOptionValueSource('zone');
  // An option that may be given several times limits a new thing: the context never sets it.
  if (!option || isRepeated(option) || command.parent?.name() === 'context' || (given !== undefined && given !== 'default')) return;
  const zone = env['MUSTER_ZONE'] || contextOf(context, env)?.zone;
  if (zone !== undefined) command.setOptionValueWithSource('zone', option.parseArg ? option.parseArg(zone, undefined) : zone, 'env');
}

const isRepeated = ({ description }: { readonly description: string }): boolean => description.includes('several times');

/** Adds a verb, or a noun with all that belongs to it. */
function add(parent: Command, part: Noun | Verb, cli: Cli): void {
  if (typeof part === 'function') part(parent, cli);
  else {
    const noun = parent.command(part.name).description(part.does);
    if (part.alias !== undefined) noun.alias(part.alias);
    for (const one of part.verbs) add(noun, one, cli);
  }
}

/**
 * Runs one command line, the program's name left out, and resolves to the exit code. Never throws for an error that a
 * user can cause.
 */
export async function run(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const known = withoutAddresses(words, (line) => terminal.err(`${line}\n`));
    for (;;) {
      const program = programOn(terminal);
      let everyMs: number | undefined;
      program.hook('postAction', (_program, command) => {
        everyMs = watchMsOf(command);
      });
      await program.parseAsync(known, { from: 'user' });
      if (everyMs === undefined) return exitCodes.done;
      await terminal.sleep(everyMs);
      // A terminal is written over; in a file each output follows the one before.
      terminal.out(terminal.columns === undefined ? '\n' : '\u001b[H\u001b[J');
    }
  } catch (error) {
    return exitCodeOf(error, terminal, words.includes('--json'));
  }
}

const notThere = 'Is Muster running there? Start it with npm start, or give its address with --endpoint or MUSTER_ENDPOINT';
const mistrusted = 'This machine does not trust its certificate: set NODE_EXTRA_CA_CERTS to a file with the certificate authority';

/**
 * Whether a server answered by TLS with a certificate that is not trusted here, by the codes of Node.js and OpenSSL.
 */
const isMistrusted = ({ message }: Unreachable): boolean =>
  /(_CERT|CERT_[A-Z_]+|_SIGNATURE|_ISSUER_CERT_LOCALLY|ALTNAME_INVALID)$/.test(message);

/** Prints an error in one line, and gives its exit code. Throws an unexpected error again. */
function exitCodeOf(error: unknown, terminal: Terminal, isJson: boolean): ExitCode {
  const { name, err } = terminal;
  if (isJson && error instanceof Failure) {
    const { message, advice, problem, exitCode } = error;
    err(json({ error: { message, ...(advice !== undefined && { advice }), ...(problem !== undefined && { problem }), exitCode } }));
    return exitCode;
  }
  if (error instanceof InvalidArgumentError) {
    err(`${name}: ${printable(error.message)}\n`);
    return exitCodes.usage;
  }
  // commander has printed it already: help and version are no errors, all else is a usage that it does not know.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof Interrupted) return exitCodes.interrupted;
  if (error instanceof Unreachable) {
    err(`${name}: ${printable(error.message)}. ${isMistrusted(error) ? mistrusted : notThere}\n`);
    return exitCodes.unreachable;
  }
  if (error instanceof NotOurs) {
    err(`${name}: ${printable(error.message)}\n`);
    return exitCodes.notAllowed;
  }
  if (!(error instanceof Failure)) throw error;
  err(`${name}: ${printable(error.message)}${error.advice ? `. ${error.advice}` : ''}\n`);
  return error.exitCode;
}

import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { Unreachable } from '../../lib/api/client.ts';
import { NotOurs } from '../../lib/machine/own.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type Cli, cliOn, endpointDefault, type Verb } from './cli.ts';
import { type Noun, tree } from './commands/tree.ts';
import { type ExitCode, exitCodes, Failure } from './exit-codes.ts';
import { withFormerOptions, withoutAddresses } from './former-options.ts';
import { examples } from './help.ts';
import { printable } from './output/printable.ts';
import { Interrupted, type Terminal } from './terminal.ts';

/** The whole tree of commands on this terminal; nothing runs until it parses arguments. */
export function programOn(terminal: Terminal): Command {
  const { name, out, err, columns, colours } = terminal;
  const program = new Command(name)
    .description('Muster knows which machines are there, and gives every client system a node to live on.')
    .version(packageJson.version, '--version', 'print the version')
    .option('--endpoint <url>', `where the deployment is; else MUSTER_ENDPOINT, else ${endpointDefault}`)
    .option('--json', "print the API's own JSON")
    .option('--yes', 'do not ask before what cannot be undone')
    .option('--insecure', 'send tokens by plain http, where whoever is on the way can read and use them')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: out,
      writeErr: err,
      // It repeats words as they were given, which a script may have from anywhere.
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
  const cli = cliOn(terminal, program);
  for (const part of tree) add(program, part, cli);
  withFormerOptions(program, cli.say);
  examples(
    program,
    name,
    ['status'],
    ['onboarding list', 'who waits to be accepted'],
    ['system accept 1f2e3d4c --tag web'],
    ['explain node node7.acme.org'],
  );
  return program;
}

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
 * Runs one command line, the program's name left out, and resolves to the exit code. Never throws for what a user can
 * cause.
 */
export async function run(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const known = withoutAddresses(words, (line) => terminal.err(`${line}\n`));
    await programOn(terminal).parseAsync(known, { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    return told(error, terminal);
  }
}

const notThere = 'Is Muster running there? npm start starts it; --endpoint or MUSTER_ENDPOINT say where it is';
const mistrusted = 'Its certificate is not one that this machine trusts: NODE_EXTRA_CA_CERTS names a file with its authority';

/** Whether somebody answered by TLS with a certificate that we do not take, by the codes of Node.js and OpenSSL. */
const isMistrusted = ({ message }: Unreachable): boolean =>
  /(_CERT|CERT_[A-Z_]+|_SIGNATURE|_ISSUER_CERT_LOCALLY|ALTNAME_INVALID)$/.test(message);

/** Says what went wrong in one line, and gives the code for it. Throws what nobody expected. */
function told(error: unknown, { name, err }: Terminal): ExitCode {
  if (error instanceof InvalidArgumentError) {
    err(`${name}: ${printable(error.message)}\n`);
    return exitCodes.usage;
  }
  // commander has said it already: help and version are no errors, all else is a usage that it does not know.
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

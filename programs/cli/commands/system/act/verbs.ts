import type { Command } from 'commander';
import { What } from '../../../../../lib/clients/actions/routes.ts';
import { secondMs } from '../../../../../lib/core/time.ts';
import { spanMs } from '../../../arguments.ts';
import type { Cli, Verb } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { examples } from '../../../help.ts';
import { textOf } from '../../../reading.ts';
import { acting, type Ordering, order } from './ordering.ts';

/** `system act highstate`: servers apply the highstate. */
export const highstate: Verb = (noun, cli) => {
  const command = acting(noun, 'highstate', 'Apply the highstate to client systems')
    .option('--test', 'only have Salt report what it would change')
    .action(async (given: readonly string[], { query, key, test = false }: Ordering & { test?: boolean }) =>
      order(cli, { given, query, key }, { do: 'highstate', test }, test ? 'Test the highstate on' : 'Apply the highstate to'),
    );
  examples(
    command,
    cli.terminal.name,
    ["system act highstate --query 'tag:db and web*'", 'all that match, as one action'],
    ['system act highstate 1f2e3d4c --test'],
  );
};

/** `system act packages`: servers update all packages. */
export const packages: Verb = (noun, cli) => {
  const command = acting(noun, 'packages', 'Update all packages of client systems').action(
    async (given: readonly string[], { query, key }: Ordering) =>
      order(cli, { given, query, key }, { do: 'packages' }, 'Update all packages of'),
  );
  examples(command, cli.terminal.name, ["system act packages --query 'tag:canary'"]);
};

const advisories = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** `system act errata`: servers apply errata. */
export const errata: Verb = (noun, cli) => {
  const command = acting(noun, 'errata', 'Apply errata to those client systems that need them')
    .requiredOption('--advisory <name>', 'the name of an advisory; may be repeated', advisories)
    .action(async (given: readonly string[], { query, key, advisory }: Ordering & { advisory: string[] }) =>
      order(cli, { given, query, key }, checked(command, { do: 'errata', advisories: advisory }), `Apply ${advisory.join(', ')} to`),
    );
  examples(command, cli.terminal.name, ["system act errata --advisory SUSE-2031-17 --query 'os:sles'"]);
};

/** `system act reboot`: servers reboot client systems. */
export const reboot: Verb = (noun, cli) => {
  const command = acting(noun, 'reboot', 'Reboot client systems').action(async (given: readonly string[], { query, key }: Ordering) =>
    order(cli, { given, query, key }, { do: 'reboot' }, 'Reboot'),
  );
  examples(command, cli.terminal.name, ['system act reboot 1f2e3d4c 9a8b7c6d'], ["system act reboot --query 'tag:needs-reboot'"]);
};

type Running = Ordering & { script?: string; run?: string; user: string; group: string; timeout: number };

/** `system act command`: servers run a script on client systems. */
export const command: Verb = (noun, cli) => {
  const verb = acting(noun, 'command', 'Run a script on client systems, as root unless --user is given. Needs the scope execute')
    .option('--run <line>', 'a line for /bin/sh')
    .option('--script <file>', 'the file with the script; - is the standard input')
    .option('--user <name>', 'the user who runs it', 'root')
    .option('--group <name>', 'the group who runs it', 'root')
    .option('--timeout <span>', 'how long it may run on each client system', spanMs, 600 * secondMs)
    .action(async (given: readonly string[], { query, key, script, run, user, group, timeout }: Running) => {
      const text = await scriptOf(cli, script, run);
      const timeoutSeconds = Math.ceil(timeout / secondMs);
      await order(
        cli,
        { given, query, key },
        checked(verb, { do: 'command', script: text, user, group, timeoutSeconds }),
        'Run the command on',
      );
    });
  examples(
    verb,
    cli.terminal.name,
    ["system act command --run uptime --query 'tag:db'"],
    ['system act command 1f2e3d4c --script fix.sh --user app --timeout 5m'],
  );
};

async function scriptOf(cli: Cli, file: string | undefined, run: string | undefined): Promise<string> {
  if (run !== undefined && file === undefined) return `#!/bin/sh\n${run}\n`;
  if (file !== undefined && run === undefined) return textOf(cli, file);
  throw new Failure(exitCodes.usage, 'the command needs either --run or --script', 'Give a line with --run, or a file with --script');
}

/** What a verb asks for. Ends the program with the reason where the API would refuse it. */
function checked(verb: Command, what: unknown): What {
  const read = What.safeParse(what);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  return verb.error(`error: ${issue?.path.join('.')} is not valid: ${issue?.message}`, { exitCode: exitCodes.usage });
}

import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { Command } from 'commander';
import { exitCodes, runCommandLine, Unusable } from '../../../lib/machine/command-line.ts';
import { buildGo, findGo, NoUsableGo } from './go.ts';
import { targetOf, targets } from './targets.ts';

/*
 * `npm run build:client`: the client daemon in Go, as one static executable a target. It needs Go 1.26 or newer;
 * without one it ends with exit code 69, which nothing else gives.
 */

const program = new Command('build:client')
  .description('Builds the client daemon in Go for this machine, and what compares it with its model, into dist/client.')
  .option('--all', `for every target: ${targets.map(({ name }) => name).join(', ')}`)
  .action(build);

function build({ all }: { readonly all?: true }): void {
  const go = goOrNone();
  if (go === undefined) return;
  const own = targetOf(process);
  if (!own && !all) throw new Unusable('the daemon is not built for machines like this one: give --all');
  for (const target of all ? targets : [own!]) {
    const file = buildGo(go, { program: 'muster-client', target });
    process.stdout.write(`${relative(process.cwd(), file)}  ${(statSync(file).size / 1e6).toFixed(1)} MB\n`);
  }
  if (own) buildGo(go, { program: 'vectors', target: own });
}

/** The Go to build with; if there is none, that is printed, and is the exit code. */
function goOrNone(): string | undefined {
  try {
    return findGo();
  } catch (error) {
    if (!(error instanceof NoUsableGo)) throw error;
    process.stderr.write(`${program.name()}: ${error.message}\n`);
    process.exitCode = exitCodes.unreachable;
    return undefined;
  }
}

process.exit(await runCommandLine(program, process.argv));

import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Command } from 'commander';
import { checked, Endpoint, runCommandLine, Unusable } from '../../lib/machine/command-line.ts';
import { isPrivate } from '../../lib/machine/endpoint.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { AllowedTypes, PowerProgram } from '../../programs/agent/built-in.ts';
import { deb } from './deb.ts';
import { architectureOf, oneFile } from './one-file.ts';
import { packageOf } from './package.ts';
import { agent } from './programs.ts';

type Given = {
  readonly endpoint?: string;
  readonly allowService?: readonly string[];
  readonly powerCommand?: readonly string[];
  readonly out: string;
};

const program = new Command('build:agent')
  .description('Writes the node agent as one executable for machines like this one, its unit for systemd, and a Debian package of both.')
  .option('--endpoint <url>', 'the default address of Muster: built into the executable', checked(Endpoint))
  .option(
    '--allow-service <type,type>',
    'the types of services that hosts run by default: built into the executable',
    checked(AllowedTypes),
  )
  .option(
    '--power-command <command>',
    'the default program that power-cycles a host for an order on site: built into the executable',
    checked(PowerProgram),
  )
  .option('--out <dir>', 'the folder to write to', join(import.meta.dirname, '../..', 'dist'))
  .action(build);

function build({ endpoint, allowService, powerCommand, out }: Given): void {
  if (endpoint !== undefined && !isPrivate(endpoint))
    throw new Unusable(`${endpoint} is not an https address, and cannot be built in: name it on each host, with --insecure`);
  const architecture = architectureOf(process);
  mkdirSync(out, { recursive: true });
  const [executable, unit, packed] = [agent.name, `${agent.name}.service`, `${agent.name}_${packageJson.version}_${architecture}.deb`].map(
    (name) => join(out, name),
  ) as [string, string, string];
  const given = {
    ...(endpoint !== undefined && { endpoint }),
    ...(allowService && { allowService: [...allowService] }),
    ...(powerCommand && { powerCommand: [...powerCommand] }),
  };
  oneFile(agent, { builtIn: { ...agent.builtIn, ...given }, output: executable });
  copyFileSync(join(import.meta.dirname, agent.folder, `${agent.name}.service`), unit);
  const content = packageOf(agent, { executable: readFileSync(executable), version: packageJson.version, architecture });
  writeFileSync(packed, deb(content, builtAtS()));
  for (const file of [executable, unit, packed])
    process.stdout.write(`${(statSync(file).size / 1e6).toFixed(1).padStart(7)} MB  ${relative('.', file)}\n`);
}

/**
 * The time of the files of a package: the one that a reproducible build is given
 * (https://reproducible-builds.org/specs/source-date-epoch/), else now.
 */
const builtAtS = (): number => Number(process.env['SOURCE_DATE_EPOCH'] ?? Math.floor(Date.now() / 1000));

process.exitCode = await runCommandLine(program, process.argv);

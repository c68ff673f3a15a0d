import { statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { configurationText } from '../../../../../lib/mero/facts/configuration.ts';
import type { ProcessConfiguration } from '../../../../../lib/mero/processes/routes.ts';
import type { Cli } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { printable } from '../../../output/printable.ts';

/**
 * The configuration of one process, as its file has it; several follow each other, each under the name of its file.
 */
export const configurationsText = (all: readonly ProcessConfiguration[]): string =>
  all.length === 1
    ? configurationText(all[0]!.variables)
    : all.map(({ file, variables }) => `# ${file}\n${configurationText(variables)}`).join('\n');

/** Shows configurations, or writes them: into a folder each under its own name, else all of them into one new file. */
export function deliver(cli: Cli, value: unknown, all: readonly ProcessConfiguration[], output: string | undefined): void {
  if (output === undefined) {
    cli.show(value, () => configurationsText(all));
    return;
  }
  const isFolder = statSync(output, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) for (const one of all) writeNew(join(output, basename(one.file)), configurationText(one.variables));
  else writeNew(output, configurationsText(all));
  cli.say(`${all.length === 1 ? 'the configuration' : `${all.length} configurations`} written to ${printable(output)}`);
}

function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o644 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new Failure(exitCodes.usage, `${file} exists already`, 'Give a new file');
    if (typeof code !== 'string') throw error;
    throw new Failure(exitCodes.usage, `${file} cannot be written (${code})`);
  }
}

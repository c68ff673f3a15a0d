import { writeFileSync } from 'node:fs';
import type { Cli, Verb } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { examples } from '../../help.ts';
import { counted } from '../facts/reading.ts';
import { dumpedFacts } from './dumping.ts';
import { inStorageZone, storageZone, type ZoneChoice } from './zone.ts';

type Options = ZoneChoice & { readonly file: string };

/** `mero dump`: writes the facts of a storage cluster. */
export const dump: Verb = (noun, cli) => {
  const command = inStorageZone(noun.command('dump'))
    .description(
      'Write the present state of a storage cluster to a facts file, which loads into a cluster like it. The file has no secrets',
    )
    .requiredOption('-f, --file <file>', 'the file to write; - is standard output')
    .action((options: Options) => dumpTo(cli, options));
  examples(command, cli.terminal.name, ['mero dump -f facts.yaml'], ['mero dump -f - --zone tier1 | less']);
};

async function dumpTo(cli: Cli, options: Options): Promise<void> {
  const facts = await dumpedFacts(cli, await storageZone(cli, options));
  const [{ writeText }, { checkFacts }, { pathText }] = await Promise.all([
    import('../../../../lib/mero/facts/text/write.ts'),
    import('../../../../lib/mero/facts/check/check.ts'),
    import('../../../../lib/core/defect.ts'),
  ]);
  if (options.file === '-') cli.show(facts, () => writeText(facts));
  else {
    write(options.file, writeText(facts));
    cli.say(`${counted(facts.id_m0_servers.length, 'host')} written to ${options.file}`);
  }
  const checked = checkFacts(facts);
  if (checked.ok) return;
  for (const { path, says } of checked.defects.slice(0, 10)) cli.say(`${pathText(path)}: ${says}`);
  const advice = 'Removed hosts and processes took devices with them: correct the pools in the file before you load it';
  throw new Failure(exitCodes.failed, `these facts cannot be loaded again: ${counted(checked.defects.length, 'defect')}`, advice);
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    throw new Failure(exitCodes.usage, `${file} cannot be written (${code})`);
  }
}

import { Option } from 'commander';
import type { Cli, Verb } from '../cli.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { type Imported, transferring } from '../transferring.ts';
import { counts, deploymentName } from './export.ts';

type Options = { home?: string; table?: string; replace?: string; sameEpoch?: true; withoutMessages?: true };

/**
 * `import`: a whole deployment from a file that `export` wrote. It calls no deployment: it writes its state folder or
 * its table.
 */
export const importAll: Verb = (program, cli) => {
  const command = program
    .command('import')
    .description('Read a whole deployment from a file that `export` wrote, into an empty place. After an interruption, repeat the command')
    .argument('<file>', 'the file to read')
    .addOption(new Option('--home <dir>', 'the state folder of an embedded deployment; created if it does not exist').conflicts('table'))
    .option('--table <name>', 'the table of a deployment on AWS')
    .option('--replace <deployment>', 'first remove the deployment of this name that is there', deploymentName)
    .option('--same-epoch', 'keep earlier membership tokens valid; you must move the keys that signed them as well')
    .addOption(new Option('--without-messages', 'with --table: leave out waiting reports').conflicts('home'))
    .action(async (file: string, options: Options) => {
      const { sameEpoch = false, withoutMessages = false, replace } = options;
      const asked = { file, to: toOf(options), replace, sameEpoch, withoutMessages };
      const header = await transferring(cli, ({ importDeployment }, surroundings) => importDeployment(asked, surroundings));
      cli.show({ file, ...header }, () => importedText(header, options, cli));
    });
  examples(
    command,
    cli.terminal.name,
    ['import muster.ndjson --home .muster', 'into a fresh state folder'],
    ['import muster.ndjson --table Muster-Data-Table1234', 'into the table of a fresh deployment'],
  );
};

function toOf({ home, table }: Options): { home: string } | { table: string } {
  if (home !== undefined) return { home };
  if (table !== undefined) return { table };
  throw new Failure(exitCodes.usage, 'give either --home or --table');
}

/** The imported content, and the work that is left to do by hand. */
function importedText({ deployment, at, ...header }: Imported, { table, sameEpoch }: Options, cli: Cli): string {
  if (table !== undefined) cli.say(`Machines sign for ${deployment}: set MUSTER_DEPLOYMENT of every function to this name`);
  if (sameEpoch) cli.say('Earlier tokens are valid only once you have moved the keys that signed them: keys.json, or the secret');
  return cli.details({ deployment, 'exported at': at, ...counts(header) });
}

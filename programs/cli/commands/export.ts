import { Option } from 'commander';
import { DeploymentName } from '../../../lib/core/ids.ts';
import { as } from '../arguments.ts';
import type { Verb } from '../cli.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { transferring } from '../transferring.ts';

type Options = { home?: string; table?: string; deployment?: string };

/** The name that machines sign for. */
export const deploymentName = as(DeploymentName, 'the name of a deployment: 1 to 64 letters, digits or ._-');

/** `export`: a whole deployment as one file. It calls no deployment: it reads its state folder or its table. */
export const exportAll: Verb = (program, cli) => {
  const command = program
    .command('export')
    .description(
      'Write a whole deployment to one file, for `import`. Stop the deployment first. The file has all of its data; its only secrets are those of webhooks',
    )
    .argument('<file>', 'the file to write; it must not exist yet')
    .addOption(new Option('--home <dir>', 'the state folder of an embedded deployment').conflicts('table'))
    .option('--table <name>', 'the table of a deployment on AWS')
    .option('--deployment <name>', 'with --table: the name of the deployment, as in MUSTER_DEPLOYMENT of its functions', deploymentName)
    .action(async (file: string, options: Options) => {
      const { header, bytes } = await transferring(cli, ({ exportDeployment }, surroundings) =>
        exportDeployment({ file, from: fromOf(options) }, surroundings),
      );
      const { deployment, rows, images, messages } = header;
      cli.show({ file, bytes, ...header }, () => cli.details({ deployment, ...counts({ rows, images, messages }), bytes: `${bytes}` }));
    });
  examples(
    command,
    cli.terminal.name,
    ['export --home .muster muster.ndjson', 'an embedded one, while it is stopped'],
    ['export --table Muster-Data-Table1234 --deployment Muster muster.ndjson'],
  );
};

function fromOf({ home, table, deployment }: Options): { home: string } | { table: string; deployment: string } {
  if (home !== undefined && deployment === undefined) return { home };
  if (table !== undefined && deployment !== undefined) return { table, deployment };
  throw new Failure(exitCodes.usage, 'give either --home, or --table with --deployment');
}

/** How much there is in a file, for people. */
export const counts = ({ rows, images, messages }: { rows: number; images: number; messages: number }) => ({
  rows: `${rows}`,
  'not published yet': `${images}`,
  'messages waiting': `${messages}`,
});

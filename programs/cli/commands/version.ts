import { contract } from '../../../lib/contract.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Verb } from '../cli.ts';
import { examples } from '../help.ts';

/** `version`: shows the version of this program and of the deployment. */
export const version: Verb = (program, cli) => {
  const command = program
    .command('version')
    .description('Show the version of this program and of the deployment')
    .action(async () => {
      const { body } = await cli.call(contract.status);
      const versions = { program: packageJson.version, deployment: body.version, name: body.deployment };
      cli.show(versions, () =>
        cli.details({ 'this program': versions.program, deployment: `${body.deployment}, ${body.version}, at ${cli.endpoint()}` }),
      );
    });
  examples(command, cli.terminal.name, ['version']);
};

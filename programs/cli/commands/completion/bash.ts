import type { Verb } from '../../cli.ts';
import { bashScript } from '../../completion/bash.ts';
import { placesOf } from '../../completion/words.ts';
import { examples } from '../../help.ts';

/** `completion bash`: a script for bash, made from the commands as they are. */
export const bash: Verb = (noun, cli) => {
  const command = noun
    .command('bash')
    .description('Print a script that completes commands in bash')
    .action(() => cli.terminal.out(bashScript(placesOf(noun.parent!))));
  examples(command, cli.terminal.name, ['completion bash > ~/.muster-completion.bash']);
};

import type { Verb } from '../../cli.ts';
import { placesOf } from '../../completion/words.ts';
import { zshScript } from '../../completion/zsh.ts';
import { examples } from '../../help.ts';

/** `completion zsh`: a script for zsh, made from the commands as they are. */
export const zsh: Verb = (noun, cli) => {
  const command = noun
    .command('zsh')
    .description('Print a script that completes commands in zsh')
    .action(() => cli.terminal.out(zshScript(placesOf(noun.parent!))));
  examples(command, cli.terminal.name, ['completion zsh > ~/.muster-completion.zsh']);
};

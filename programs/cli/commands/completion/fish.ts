import type { Verb } from '../../cli.ts';
import { fishScript } from '../../completion/fish.ts';
import { placesOf } from '../../completion/words.ts';
import { examples } from '../../help.ts';

/** `completion fish`: a script for fish, made from the commands as they are. */
export const fish: Verb = (noun, cli) => {
  const command = noun
    .command('fish')
    .description('Print a script that completes commands in fish')
    .action(() => cli.terminal.out(fishScript(placesOf(noun.parent!))));
  examples(command, cli.terminal.name, ['completion fish > ~/.muster-completion.fish']);
};

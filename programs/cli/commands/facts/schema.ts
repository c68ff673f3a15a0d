import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { json } from '../../output/json.ts';

/** `facts schema`: the JSON Schema of facts files, for editors. */
export const schema: Verb = (noun, cli) => {
  const command = noun
    .command('schema')
    .description('Print the JSON Schema of facts files, with which editors complete and check them')
    .action(async () => {
      const { factsJsonSchema } = await import('../../../../lib/mero/facts/facts.ts');
      cli.terminal.out(json(factsJsonSchema()));
    });
  examples(command, cli.terminal.name, [
    'facts schema > facts.schema.json',
    'then begin the file with # yaml-language-server: $schema=facts.schema.json',
  ]);
};

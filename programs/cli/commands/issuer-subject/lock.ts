import { SubjectView } from '../../../../lib/access/api-keys/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import { as } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { printable } from '../../output/printable.ts';
import { confirmMade } from '../made.ts';

const subjectName = as(SubjectView.shape.subject, 'a subject as the issuer names it: its sub');

/** `subject lock`: refuses the issuer's tokens of a subject here. */
export const lock: Verb = (noun, cli) => {
  const command = noun
    .command('lock')
    .argument('<subject>', 'the sub of its tokens, as the audit shows it after admin:', subjectName)
    .description(
      'Refuse a subject of the issuer: its tokens and sessions stop working within 5 s, even if the issuer says that they are valid',
    )
    .option('--with-made', 'also end, for good, the keys, sessions and tokens that it made, and all that were made with these')
    .option('-n, --dry-run', 'only show what --with-made would end')
    .action(async (subject: string, { withMade = false, dryRun = false }: { withMade?: boolean; dryRun?: boolean }) => {
      if (withMade || dryRun) {
        const { made } = (await cli.call(contract.lockSubject, { body: { subject, withMade: true, dryRun: true } })).body;
        if (!(await confirmMade(cli, made, { dryRun, question: `Lock ${subject}, and end for good everything that it made?` }))) return;
      }
      const { body } = await cli.call(contract.lockSubject, { body: { subject, withMade } });
      cli.show(body, () => `${printable(body.subject.subject)} is ${body.subject.status}\n`);
    });
  examples(command, cli.terminal.name, ['subject lock u-1742'], ['subject lock u-1742 --with-made', 'after the theft of a laptop']);
};

/** `subject unlock`: accepts the tokens of a subject again. */
export const unlock: Verb = (noun, cli) => {
  const command = noun
    .command('unlock')
    .argument('<subject>', 'as `subject list` shows it', subjectName)
    .description('Accept the tokens of a subject again. Everything that --with-made ended stays ended')
    .action(async (subject: string) => {
      const { body } = await cli.call(contract.unlockSubject, { body: { subject } });
      cli.show(body, () => `${printable(body.subject)} is ${body.status}\n`);
    });
  examples(command, cli.terminal.name, ['subject unlock u-1742']);
};

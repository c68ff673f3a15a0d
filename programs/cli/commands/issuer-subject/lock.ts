import { SubjectView } from '../../../../lib/access/api-keys/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import { as } from '../../arguments.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { printable } from '../../output/printable.ts';
import { confirmMade } from '../made.ts';

const subjectName = as(SubjectView.shape.subject, 'a subject as the issuer names it: its sub');

/** `subject lock`: the issuer's tokens of somebody are refused here. */
export const lock: Verb = (noun, cli) => {
  const command = noun
    .command('lock')
    .argument('<subject>', 'the sub of its tokens, as the audit shows it after admin:', subjectName)
    .description(
      'Refuse a subject of the issuer: within 5 s its tokens and sessions are taken nowhere, although the issuer says they are valid',
    )
    .option('--with-made', 'also end, for good, the keys, sessions and tokens that it made, and what was made with these')
    .option('-n, --dry-run', 'only show what --with-made would end')
    .action(async (subject: string, { withMade = false, dryRun = false }: { withMade?: boolean; dryRun?: boolean }) => {
      if (withMade || dryRun) {
        const { made } = (await cli.call(contract.lockSubject, { body: { subject, withMade: true, dryRun: true } })).body;
        if (!(await confirmMade(cli, made, { dryRun, question: `Lock ${subject}, and end for good what it made?` }))) return;
      }
      const { body } = await cli.call(contract.lockSubject, { body: { subject, withMade } });
      cli.show(body, () => `${printable(body.subject.subject)} is ${body.subject.status}\n`);
    });
  examples(command, cli.terminal.name, ['subject lock u-1742'], ['subject lock u-1742 --with-made', 'whose laptop was stolen']);
};

/** `subject unlock`: its tokens are taken again. */
export const unlock: Verb = (noun, cli) => {
  const command = noun
    .command('unlock')
    .argument('<subject>', 'as `subject list` shows it', subjectName)
    .description('Take the tokens of a subject again. What --with-made ended stays ended')
    .action(async (subject: string) => {
      const { body } = await cli.call(contract.unlockSubject, { body: { subject } });
      cli.show(body, () => `${printable(body.subject)} is ${body.status}\n`);
    });
  examples(command, cli.terminal.name, ['subject unlock u-1742']);
};

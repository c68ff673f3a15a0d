import type { Explanation } from '../../../lib/assembly/explain/routes.ts';
import { contract } from '../../../lib/contract.ts';
import type { Cli, Verb } from '../cli.ts';
import { examples } from '../help.ts';
import { dated } from '../output/moments.ts';
import { printable } from '../output/printable.ts';
import { type OfZone, onSubject, type Subject, subjectOf, zoneAsked } from './subject.ts';

/** `explain`: shows the reason for a state. */
export const explain: Verb = (program, cli) => {
  const command = onSubject(program.command('explain'))
    .description(
      'Explain the state of a node, client system, zone, process, service or storage cluster, of the stations of a zone, or of the orders on its site: the last decision, what it waits for, and what bears on it',
    )
    .action(async (kind: Subject['kind'], id: string, node: string | undefined, choice: OfZone) => {
      const query = await zoneAsked(cli, kind, choice);
      const { body } = await cli.call(contract.explain, { params: await subjectOf(cli, kind, id, node), query });
      cli.show(body, () => explanationText(body, cli));
    });
  examples(
    command,
    cli.terminal.name,
    ['explain node node7.acme.org'],
    ['explain system 1f2e3d4c'],
    ['explain process 0x7200000000000001:0x2d --zone tier1'],
    ['explain service greeter node7.acme.org'],
    ['explain stations default'],
    ['explain zone default --json'],
  );
};

function explanationText(explanation: Explanation, cli: Cli): string {
  const now = cli.terminal.now();
  const { subject, state, because, since, by, who, looksAgainAt, also } = explanation;
  const bearing = also.map(
    (other) => `  ${printable(`${other.subject}: ${other.because}`)}${other.at ? `, ${dated(other.at, now)}` : ''}\n`,
  );
  return `${printable(`${subject}: ${state}`)}\n${cli.details({ because, since: dated(since, now), by, who, 'looks again': dated(looksAgainAt, now) })}${
    bearing.length > 0 ? `what bears on it:\n${bearing.join('')}` : ''
  }`;
}

import { problems } from '../../lib/api/problem.ts';
import { exitCodes } from '../../programs/cli/exit-codes.ts';
import { codeOfProblem, problemCodes } from '../../programs/cli/problem-codes.ts';
import { madeFrom, table } from './source.ts';

/** Every refusal that an endpoint gives. */
export const problemsPage = (): string => `${madeFrom('lib/api/problem.ts and programs/cli/problem-codes.ts')}
# Problems

Every refusal is \`application/problem+json\` (RFC 9457): \`type\` is one of these, \`detail\` says what is the matter this time, \`instance\`
names the call in the log, and \`errors\` points at single fields where there are any. \`exit code\` is what a command of \`muster\` ends with.

${table(
  ['type', 'status', 'exit code', 'means'],
  Object.entries(problems)
    .sort(([, [a]], [, [b]]) => a - b)
    .map(([slug, [status, means]]) => [
      `\`urn:muster:problem:${slug}\``,
      String(status),
      String(exitCodes[codeOfProblem(slug, status)]),
      means,
    ]),
)}

## Exit codes

A script that repeats a command on ${exitCodes.tryAgain} comes to an end: what never succeeds by itself is not among those.

${table(
  ['exit code', 'problems', 'because'],
  problemCodes.map(({ code, problems: types, because }) => [
    String(exitCodes[code]),
    types.map((type) => `\`${type}\``).join(' '),
    because,
  ]),
)}`;

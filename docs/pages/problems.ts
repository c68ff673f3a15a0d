import { problems } from '../../lib/api/problem.ts';
import { madeFrom, table } from './source.ts';

/** Every refusal our doors give. */
export const problemsPage = (): string => `${madeFrom('lib/api/problem.ts')}
# Problems

Every refusal is \`application/problem+json\` (RFC 9457): \`type\` is one of these, \`detail\` says what is the matter this time, \`instance\`
names the call in the log, and \`errors\` points at single fields where there are any.

${table(
  ['type', 'status', 'means'],
  Object.entries(problems)
    .sort(([, [a]], [, [b]]) => a - b)
    .map(([slug, [status, means]]) => [`\`urn:muster:problem:${slug}\``, String(status), means]),
)}`;

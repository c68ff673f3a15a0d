import { contentKinds } from '../../lib/uyuni/content/kinds.ts';
import { madeFrom, table } from './source.ts';

/** The kinds of common content: as which documents each is copied, and what of it is not. */
export const contentKindsPage = (): string => `${madeFrom('lib/uyuni/content/kinds.ts')}
# Kinds of common content

What the servers of a zone have in common, and how it is copied ([content.md](content.md)). Every method that changes
common content is in one of these namespaces.

${table(
  ['kind', 'copied as', 'not copied', 'namespaces of the API'],
  contentKinds.map(({ title, copied, notCopied, namespaces }) => [
    title,
    copied.map((kind) => `\`${kind}\``).join(', ') || '—',
    notCopied,
    namespaces.map((one) => `\`${one}\``).join(', '),
  ]),
)}`;

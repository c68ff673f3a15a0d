import type { ContentDiff, ContentView, RevisionView, ServerView } from '../../../../lib/content/revisions/routes.ts';
import type { Cli } from '../../cli.ts';
import { dated } from '../../output/moments.ts';

const words = {
  reached: 'has it',
  failed: 'failed',
  open: 'at it',
  due: 'to be told',
  edited: 'has changes of its own',
  away: 'not up',
} as const;
const signs = { added: '+', changed: '~', removed: '-' } as const;

/** How far the servers of a zone are with the last revision, as text. */
export function contentText({ zone, revision, reading, spreading, servers, because }: ContentView, cli: Cli): string {
  const now = cli.terminal.now();
  const facts = cli.details({
    because,
    'being read': reading && `on ${reading.fqdn}, from ${dated(reading.from, now)} on: ${reading.because}`,
    'on its way': spreading && `since ${dated(spreading.since, now)}`,
    stopped: spreading?.stopped,
  });
  const table =
    revision === 0
      ? ''
      : cli.table(servers, [
          { title: 'SERVER', of: ({ fqdn }) => fqdn },
          { title: 'STATE', of: ({ is }) => words[is] },
          { title: 'REVISION', of: (one) => (one.revision === undefined ? '' : String(one.revision)) },
          { title: 'SINCE', of: ({ at }) => dated(at, now) ?? '' },
          { title: 'DOCUMENTS', of: countsText },
          { title: 'WHY', of: ({ why }) => why.join('; ') },
        ]);
  return `${revision === 0 ? `zone ${zone} has no revision` : `revision ${revision} of zone ${zone}`}\n${facts}${table}`;
}

function countsText({ counts }: ServerView): string {
  if (!counts) return '';
  const { made, changed, removed, alike, extra } = counts;
  const some = { made, changed, removed, alike, 'beyond it': extra };
  return Object.entries(some)
    .flatMap(([word, n]) => (n > 0 ? [`${n} ${word}`] : []))
    .join(', ');
}

/** The revisions of a zone, the newest first, as text. */
export function revisionsText({ revisions }: ContentView, cli: Cli): string {
  const now = cli.terminal.now();
  const source = ({ fqdn, of }: RevisionView): string => (of === undefined ? fqdn : `revision ${of}`);
  return cli.table(revisions, [
    { title: 'REVISION', of: ({ revision }) => String(revision) },
    { title: 'AT', of: ({ at }) => dated(at, now) ?? '' },
    { title: 'FROM', of: source },
    { title: 'BY', of: ({ by }) => by },
    { title: 'DOCUMENTS', of: ({ entries }) => String(entries) },
    { title: 'WHY', of: ({ because }) => because },
  ]);
}

/** What two revisions do not have alike, as text: a line for each document. */
export const diffText = ({ differences, more }: ContentDiff): string =>
  `${differences.map(({ kind, key, is, fields }) => `${signs[is]} ${kind} ${key}${fields.length > 0 ? `: ${fields.join(', ')}` : ''}\n`).join('')}${more ? '… and more\n' : ''}`;

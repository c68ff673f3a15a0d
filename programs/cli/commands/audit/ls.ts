import type { AuditPlace, AuditView } from '../../../../lib/audit/routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { toTheSecond } from '../../output/moments.ts';
import type { Column } from '../../output/table.ts';
import { collect, limited } from '../../pages.ts';
import { renamed } from '../../verbs.ts';
import { type Asked, ofDays, ofWhom } from './asked.ts';
import { sayUnreadable } from './entries.ts';
import { windowsBack } from './windows.ts';

type Options = Asked & { limit: number };

/** `audit list`: lists the actions and attempts of people and automation. */
export const ls: Verb = (noun, cli) => {
  const command = limited(ofWhom(ofDays(renamed(noun, 'list', 'ls'))))
    .description(
      'List what people and automation did, and what they tried and were refused: the newest of the last seven days, in order of time',
    )
    .action(async ({ limit, from, to, ...query }: Options) => {
      const unreadable: AuditPlace[] = [];
      const found: AuditView[] = [];
      for (const days of windowsBack({ from, to }, cli.terminal.now())) {
        const { items } = await collect(Number.POSITIVE_INFINITY, async (at) => {
          const { body } = await cli.call(contract.listAudit, { query: { ...query, ...days, ...at } });
          unreadable.push(...(body.unreadable ?? []));
          return body;
        });
        found.push(...items);
        if (found.length > limit) break;
      }
      // Days come backwards, and each is listed by zone.
      const items = found.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(-limit);
      const more = found.length > limit;
      cli.show(items, () => cli.table(items, columns));
      sayUnreadable(cli, unreadable);
      if (items.length + unreadable.length === 0) cli.say('no entries in these days');
      if (more) cli.say('there are older ones; --limit all shows them all');
    });
  examples(
    command,
    cli.terminal.name,
    ['audit list --zone default'],
    ['audit list --from 2026-05-01 --to 2026-05-01 --who admin:anna'],
    ['audit list --json | jq -r \'.[] | select(.did == "tried") | .because\'', 'refused attempts, with the real reason'],
  );
};

/** The action or attempt, and its subject; fingerprints as short as other lists show them. */
const whatOf = ({ what, refused }: AuditView): string =>
  (refused ? [refused.route, refused.subject ?? ''].join(' ').trim() : `${what.noun} ${what.id}`).replace(
    /\b([0-9a-f]{16})[0-9a-f]{48}\b/g,
    '$1',
  );

const columns: readonly Column<AuditView>[] = [
  { title: 'AT', of: ({ at }) => toTheSecond(at) },
  { title: 'ZONE', of: ({ zone }) => (zone === '-' ? '' : zone) },
  { title: 'N', align: 'right', of: ({ n }) => String(n) },
  { title: 'WHO', of: ({ who }) => who },
  { title: 'SOURCE', of: ({ source }) => source },
  { title: 'DID', of: ({ did }) => did },
  { title: 'WHAT', of: whatOf },
  { title: 'BECAUSE', of: ({ because }) => because },
];

import type { SameMachineIdKey, SystemView } from '../../../../lib/clients/admin-routes.ts';
import { ago } from '../../output/moments.ts';
import { paintOf } from '../../output/paint.ts';
import type { Column } from '../../output/table.ts';

/**
 * How many hex digits of a fingerprint a narrow table shows: enough to tell keys apart, and to give to `accept`.
 */
const shortDigits = 16;

const fqdn: Column<SystemView> = { title: 'SYSTEM', of: (system) => system.fqdn };
const seen = (now: number): Column<SystemView> => ({ title: 'SEEN', align: 'right', of: ({ seenAt }) => ago(seenAt, now) });
const fingerprint = (wide: boolean): Column<SystemView> => ({
  title: 'FINGERPRINT',
  of: (system) => (wide ? system.fingerprint : system.fp.slice(0, shortDigits)),
});

/** Its status, whether its node no longer sees it, and whether two machines run with its key. */
const statusOf = ({ status, silentSince, copied }: SystemView): string =>
  [status, ...(silentSince === undefined ? [] : ['silent']), ...(copied ? ['copied'] : [])].join(', ');

/** Columns for client systems of any status. */
export const systemColumns = (now: number, wide: boolean): Column<SystemView>[] => [
  fqdn,
  { title: 'STATUS', of: statusOf, paint: ({ status, silentSince, copied }) => ((silentSince ?? copied) ? 'bad' : paintOf(status)) },
  { title: 'NODE', of: ({ node }) => node?.fqdn ?? node?.id ?? '' },
  { title: 'TAGS', of: ({ tags }) => tags.join(',') },
  fingerprint(wide),
  seen(now),
];

/** What a key that waits is held for: by its machine id, its name, or both. */
const heldFor = ({ sameMachineId, sameName }: SystemView) => [sameMachineId, sameName].filter((one) => one?.held === true);

/** The first of the keys that reported a machine id or a name earlier, and how many more did. */
function keysFirst(view: SystemView, wide: boolean): string {
  if (!view.sameMachineId?.held && view.sameName?.noName) return 'its name';
  const all: readonly SameMachineIdKey[] = heldFor(view).flatMap((one) => one?.keys ?? []);
  const [first, ...more] = [...new Map(all.filter(({ first }) => first).map((key) => [key.fp, key])).values()];
  if (!first) return 'another key';
  const name = wide ? `${first.fingerprint} ${first.fqdn}` : first.fp.slice(0, shortDigits);
  return more.length > 0 ? `${name} and ${more.length} more` : name;
}

/**
 * Columns for keys that wait to be accepted. A key that never signed may be in the hands of any machine. A key is held
 * for those that reported its machine id or its name first.
 */
export const pooledColumns = (now: number, wide: boolean): Column<SystemView>[] => [
  fqdn,
  fingerprint(wide),
  { title: 'SIGNS', of: ({ unsigned }) => (unsigned ? 'never' : 'yes'), paint: ({ unsigned }) => (unsigned ? 'bad' : undefined) },
  { title: 'MINION', of: ({ minion }) => (minion && wide ? `${minion.id} ${minion.fingerprint}` : (minion?.id ?? '')) },
  { title: 'ZONE', of: ({ zone }) => zone ?? '' },
  { title: 'SUGGESTS', of: ({ suggestedTags }) => suggestedTags.join(',') },
  {
    title: 'HELD FOR',
    of: (view) => (heldFor(view).length > 0 ? keysFirst(view, wide) : view.copied ? 'two machines' : ''),
    paint: (view) => (heldFor(view).length > 0 || view.copied ? 'bad' : undefined),
  },
  seen(now),
];

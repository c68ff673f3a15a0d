import { wiring } from '../../infra/wiring.ts';
import type { Keys } from '../../lib/ports/keys/keys.ts';
import type { Objects } from '../../lib/ports/objects/objects.ts';
import type { IndexQuery, Table } from '../../lib/ports/table/table.ts';
import type { Shell } from '../../lib/runtime/shell.ts';

/**
 * The shell with the ports that the wiring grants this function, and no others: everything else throws, as IAM would
 * refuse it.
 */
export function granted<S extends Shell>(shell: S, name: string): S {
  const wired = (wiring.functions as Readonly<Record<string, (typeof wiring.functions)[string]>>)[name]!;
  const refused = (what: string) => (): never => {
    throw new Error(`${name} ${what}, which the wiring does not grant`);
  };
  // The method is looked up when it is called: a test may put something between a function and the table of its world.
  const late =
    (verb: string) =>
    (...given: unknown[]): unknown =>
      Reflect.apply(Reflect.get(shell.table, verb) as () => unknown, shell.table, given);
  const verbs = Object.entries(shell.table).map(([verb, call]): [string, unknown] => {
    if (typeof call !== 'function') return [verb, call];
    const granted = isGranted(verb, wired.table) ? late(verb) : refused(`asks the table to ${verb}`);
    if (verb !== 'queryIndex' || wired.inverse) return [verb, granted];
    const listed = (query: IndexQuery) => (query.index === 'inverse' ? refused('asks the inverse index')() : granted(query));
    return [verb, listed];
  });
  const keysOf = (keys: Keys, isGranted: true | undefined): Keys => ({
    ...(isGranted
      ? keys
      : { current: refused('signs'), byId: refused('verifies'), known: refused('verifies'), ages: refused('lists keys') }),
    rotate: wired.rotates ? keys.rotate : refused('rotates keys'),
  });
  const { outbound, checks, objects, ...within } = shell;
  return {
    ...(within as S),
    ...(wired.calls && outbound && { outbound }),
    ...(wired.checks && checks && { checks }),
    ...(wired.objects && objects && { objects: { ...objects, ...lacking[wired.objects](refused) } }),
    table: Object.fromEntries(verbs) as unknown as Table,
    queue: {
      ...shell.queue,
      ...(!wired.sends && { send: refused('sends') }),
      ...(!wired.looksInto && { depth: refused('looks into a queue') }),
    },
    bus: wired.publishes ? shell.bus : { ...shell.bus, publish: refused('publishes') },
    keys: keysOf(shell.keys, wired.signs),
    auditKeys: keysOf(shell.auditKeys, wired.audits),
  };
}

type Refused = (what: string) => () => never;

/** What of the store a function lacks that reads it, or stores in it; nothing where it keeps it. */
const lacking = {
  reads: (refused: Refused): Partial<Objects> => ({
    write: refused('stores an object'),
    replace: refused('stores an object'),
    remove: refused('removes an object'),
  }),
  stores: (refused: Refused): Partial<Objects> => ({ list: refused('lists objects'), remove: refused('removes an object') }),
  keeps: (): Partial<Objects> => ({}),
} as const;

const portVerbs: readonly string[] = ['read', 'readMany', 'query', 'queryIndex', 'due', 'commit'];
const isGranted = (verb: string, grants: readonly string[]): boolean => !portVerbs.includes(verb) || grants.includes(verb);

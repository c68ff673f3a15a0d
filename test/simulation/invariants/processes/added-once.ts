import type { MeroProcess } from '../../../../lib/mero/processes/process.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';

/** A process that somebody added, and no load of facts. */
const isAdded = ({ before, after: { key, gone, body } }: Committed): boolean =>
  key.pk.startsWith('cluster#') &&
  key.sk.startsWith('process#') &&
  (before === undefined || before.gone === true) &&
  !gone &&
  (body as MeroProcess).load === undefined;

/** Whoever is not answered calls again, and means the same processes. */
export const addedOnce: Invariant = {
  name: 'what-a-key-adds-is-added-once',
  says: 'all processes that are added under one Idempotency-Key are added by one call, however often it is made again',
  begin: ({ violated }) => {
    /** The key of the call that an environment answers, and the call that added something under a key. */
    const answering = new Map<string, string>();
    const addedBy = new Map<string, string>();
    return {
      heedsMarks: true,
      committed: (changes) => {
        for (const change of changes) {
          const { by, after } = change;
          // The embedded host answers many at once: whose call it is nobody can tell.
          if (by.startsWith('host-')) return;
          if (after.key.pk.startsWith('idempotency#')) {
            if ((after.body as { startedAt?: number }).startedAt === undefined) answering.delete(by);
            else answering.set(by, after.key.pk);
          }
          const key = answering.get(by);
          if (key === undefined || !isAdded(change)) continue;
          const first = addedBy.get(key) ?? after.by;
          addedBy.set(key, first);
          if (first !== after.by) violated(`${after.key.sk} was added by ${after.by} under ${key}, under which ${first} had added`);
        }
      },
    };
  },
};

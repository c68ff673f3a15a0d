import type { Client, ClientAlias } from '../../../../lib/clients/client.ts';
import type { Invariant } from '../invariant.ts';

/** An administrator bans what the minion's software shows: the minion's fingerprint. */
export const aliases: Invariant = {
  name: 'every-key-finds-its-machine',
  says: 'a row under another key is made together with the row it leads to, for ever; the key of the minion that a machine names leads to a machine with that key',
  begin: ({ violated }) => {
    const rows = new Map<string, Client | ClientAlias>();
    return {
      committed: (changes) => {
        const written = changes.filter(({ after }) => after.key.sk === 'client');
        const fps = written.map(({ after }) => after.key.pk.slice('client#'.length));
        for (const [n, { after }] of written.entries()) rows.set(fps[n]!, after.body as Client | ClientAlias);
        for (const [n, { after, by }] of written.entries()) {
          const row = after.body as Client | ClientAlias;
          if (row.standing === 'alias') {
            if (!fps.includes(row.of)) violated(`${by} made a row that leads to ${row.of.slice(0, 8)}, whose row it did not write`);
            if (rows.get(row.of)?.standing === 'alias') violated(`${fps[n]!.slice(0, 8)} leads to a row that leads on`);
          } else if (row.minion && !rows.has(row.minion.fingerprint)) {
            violated(`${by} noted a minion of ${fps[n]!.slice(0, 8)} that its key does not find`);
          }
        }
      },
    };
  },
};

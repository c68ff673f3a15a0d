import type { Client, ClientAlias } from '../../../../lib/clients/client.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import type { Revoked } from '../../../../lib/zones/zone.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';

/** A crash between the two would leave a token that is believed for a week. */
export const revocations: Invariant = {
  name: 'a-revocation-is-one-commit',
  says: "whoever takes a client's place or acceptance away, or pins it otherwise, revokes its tokens in the same commit; no other commit touches the list of revocations, which names it or all before now",
  begin: ({ violated }) => ({
    committed: (changes) => {
      const list = changes.find(({ after }) => after.key.sk === 'revoked');
      const taken = changes.filter(
        ({ before, after }) =>
          after.key.sk === 'client' &&
          !isIntroduced(before, after) &&
          hadPlace(before) &&
          (!hasPlace(after) || pinOf(before) !== pinOf(after)),
      );
      for (const { after, by } of taken) {
        const fp = after.key.pk.slice('client#'.length);
        if (!list) violated(`${by} took the place of ${fp.slice(0, 8)} and revoked nothing (${after.because})`);
        else if (!names(list.after.body as Revoked, fp)) violated(`${by} revoked, and not ${fp.slice(0, 8)}`);
      }
      // The list is made with the zone, and ends with it.
      if (!list?.before || list.before.gone || list.after.gone) return;
      const versions = [list.before, list.after].map((row) => (row?.body as Revoked | undefined)?.version ?? 0);
      if (versions[1] !== versions[0]! + 1) violated(`the revocations went from version ${versions[0]} to ${versions[1]}`);
      if (taken.length === 0) violated(`${list.by} revoked, and took no place away`);
    },
  }),
};

const clientOf = (row: Row | undefined): Client | undefined => row?.body as Client | undefined;
/** Accepted with a place, or accepted at all where the row is banned then. */
const hadPlace = (row: Row | undefined): boolean => clientOf(row)?.standing === 'accepted';
const pinOf = (row: Row | undefined): string => JSON.stringify((row?.body as { readonly pin?: object } | undefined)?.pin);
const hasPlace = (row: Row): boolean => {
  const client = clientOf(row);
  return client?.standing === 'accepted' && !(row.events.some(({ type }) => type === 'client.unregistered') && client.told === undefined);
};

function names({ entries, tokensBefore }: Revoked, fp: string): boolean {
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
  for (let i = 0; i < entries.length; i += 8) if (view.getUint32(i) === Number.parseInt(fp.slice(0, 8), 16)) return true;
  return tokensBefore > 0;
}

/** A system that was adopted leads to its daemon from now on. It has had no token: no daemon had knocked. */
const isIntroduced = (before: Committed['before'], after: Committed['after']): boolean =>
  (before?.body as Client | undefined)?.publicKey === undefined && (after.body as Client | ClientAlias).standing === 'alias';

import type { Client } from '../../../../lib/clients/client.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';

type Accepting = { readonly systems: readonly string[]; readonly duplicates?: true };
/** A key that said a machine id, and until when it is known: for ever once it was accepted or banned. */
type Said = { readonly fp: string; readonly until: number };

/**
 * A virtual machine is cloned with the machine id in its image, and a machine that is installed anew comes with another
 * key.
 */
export const machineIds: Invariant = {
  name: 'a-machine-id-that-comes-twice-waits-for-a-word',
  says: 'of several keys that say one machine id none but the first is accepted, by a token or with others, unless an administrator has said so of that key',
  begin: ({ violated }) => {
    /** By machine id, the keys that say it in the order in which they came. */
    const said = new Map<string, Said[]>();
    const words = new Set<string>();
    const saysWhat = new Map<string, string>();
    /** Whoever is new, or was forgotten, or says another one now, comes after those who are there. */
    const note = ({ before, after, at }: Committed, { fp, machineId }: Client): void => {
      const isNew = before === undefined || isForgotten(before, at) || saysWhat.get(fp) !== machineId;
      if (isNew)
        for (const [id, keys] of said)
          said.set(
            id,
            keys.filter((key) => key.fp !== fp),
          );
      saysWhat.set(fp, machineId);
      const keys = said.get(machineId) ?? [];
      const now = { fp, until: after.expiresAt ?? Number.POSITIVE_INFINITY };
      said.set(machineId, isNew ? [...keys, now] : keys.map((key) => (key.fp === fp ? now : key)));
    };
    return {
      asked: ({ path, sent }) => {
        const { systems, duplicates } = path === '/api/v1/systems/accept' ? (sent as Accepting) : { systems: [] };
        if (duplicates) for (const fp of systems) words.add(fp);
      },
      committed: (changes) => {
        for (const change of changes) {
          const client = change.after.body as Client | { readonly standing: 'alias' };
          if (change.after.key.sk !== 'client' || client.standing === 'alias') continue;
          note(change, client);
          if (!isAcceptance(change) || words.has(client.fp)) continue;
          const keys = said.get(client.machineId)!;
          const first = keys
            .slice(
              0,
              keys.findIndex(({ fp }) => fp === client.fp),
            )
            .find(({ until }) => until > change.at);
          if (first) violated(`${client.fp.slice(0, 8)} was accepted, and ${first.fp.slice(0, 8)} had said ${client.machineId} first`);
        }
      },
    };
  },
};

const isForgotten = ({ expiresAt, gone }: NonNullable<Committed['before']>, at: number): boolean =>
  gone === true || (expiresAt !== undefined && expiresAt <= at);

const isAcceptance = ({ before, after }: Committed): boolean =>
  (after.body as Client).standing === 'accepted' && (before?.body as Client | undefined)?.standing !== 'accepted';

import type { Client, ClientAlias } from '../../../../lib/clients/client.ts';
import type { Adoption } from '../../../../lib/uyuni/adoption/rows/adoption.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';

type Accepting = { readonly systems: readonly string[]; readonly duplicates?: true };
/** A key that makes a claim, and until when it is known: for ever once it was accepted or banned. */
type Said = { readonly fp: string; readonly until: number };

const replacing = /^\/api\/v1\/systems\/[^/]+\/replace$/;

/** Of several keys that claim the same none but the first is accepted without a word about it. */
const waitsForAWord = (name: string, says: string, claimIn: (client: Client) => string): Invariant => ({
  name,
  says,
  begin: ({ violated }) => {
    /** By what is claimed, the keys that claim it in the order in which they came. */
    const said = new Map<string, Said[]>();
    const words = new Set<string>();
    const saysWhat = new Map<string, string>();
    /** Whoever is new, or was forgotten, or claims another now, comes after those who are there. */
    const forget = (fp: string): void => {
      for (const [claimed, keys] of said)
        said.set(
          claimed,
          keys.filter((key) => key.fp !== fp),
        );
    };
    const note = ({ before, after, at }: Committed, client: Client): void => {
      const { fp } = client;
      const value = claimIn(client);
      const isNew = before === undefined || isForgotten(before, at) || saysWhat.get(fp) !== value;
      if (isNew) forget(fp);
      saysWhat.set(fp, value);
      const keys = said.get(value) ?? [];
      const now = { fp, until: after.expiresAt ?? Number.POSITIVE_INFINITY };
      said.set(value, isNew ? [...keys, now] : keys.map((key) => (key.fp === fp ? now : key)));
    };
    return {
      asked: ({ path, sent }) => {
        const { systems, duplicates } = path === '/api/v1/systems/accept' ? (sent as Accepting) : { systems: [] };
        if (duplicates) for (const fp of systems) words.add(fp);
        if (replacing.test(path)) words.add((sent as { by: string }).by);
      },
      committed: (changes) => {
        // The key of a machine that was adopted leads to that of its daemon, which comes in its place.
        for (const fp of aliasesIn(changes)) forget(fp);
        const isMeant = meantIn(changes);
        for (const change of changes) {
          const client = change.after.body as Client | ClientAlias;
          if (change.after.key.sk !== 'client' || client.standing === 'alias' || claimIn(client) === '') continue;
          note(change, client);
          if (!isAcceptance(change) || words.has(client.fp) || isMeant(change)) continue;
          const keys = said.get(claimIn(client))!;
          const first = keys
            .slice(
              0,
              keys.findIndex(({ fp }) => fp === client.fp),
            )
            .find(({ until }) => until > change.at);
          if (first) violated(`${client.fp.slice(0, 8)} was accepted, and ${first.fp.slice(0, 8)} had said ${claimIn(client)} first`);
        }
      },
    };
  },
});

/**
 * A virtual machine is cloned with the machine id in its image, and a machine that is installed anew comes with another
 * key.
 */
export const machineIds = waitsForAWord(
  'a-machine-id-that-comes-twice-waits-for-a-word',
  'of several keys that say one machine id none but the first is accepted, by a token or with others, unless an administrator has said so of that key',
  ({ machineId }) => machineId,
);

/** What manages machines behind us goes by their names: of two with one name, one overwrites the other. */
export const systemNames = waitsForAWord(
  'a-name-that-comes-twice-waits-for-a-word',
  'of several keys that say one name, in whatever case, none but the first is accepted, by a token or with others, unless an administrator has said so of that key or puts it in the place of another',
  ({ fqdn }) => fqdn.toLowerCase(),
);

/** The fingerprints in a commit that lead to others from now on. */
const aliasesIn = (changes: readonly Committed[]): string[] =>
  changes.flatMap(({ after }) =>
    after.key.sk === 'client' && (after.body as Client | ClientAlias).standing === 'alias' ? after.key.pk.slice('client#'.length) : [],
  );

/** Whether whoever is accepted in a commit need not wait: the daemon of an adopted machine, or an order says so. */
function meantIn(changes: readonly Committed[]): (change: Committed) => boolean {
  const isSaid = changes.some(({ after }) => after.key.sk === 'adoption' && (after.body as Adoption).duplicates);
  return ({ after }) => after.events.some(({ type }) => type === 'client.introduced' || (type === 'client.adopted' && isSaid));
}

const isForgotten = ({ expiresAt, gone }: NonNullable<Committed['before']>, at: number): boolean =>
  gone === true || (expiresAt !== undefined && expiresAt <= at);

const isAcceptance = ({ before, after }: Committed): boolean =>
  (after.body as Client).standing === 'accepted' && (before?.body as Client | undefined)?.standing !== 'accepted';

import type { Client, ClientAlias } from '../../../../lib/clients/client.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';

/** Whose zone is gone has no node, no operator who sees it, and nobody who could let it go. */
export const inhabited: Invariant = {
  name: 'no-zone-goes-with-somebody-in-it',
  says: 'a zone is deleted only once no client system is accepted in it and no node of it has not been given up, whatever the indexes show; and nothing comes into a zone that is gone',
  begin: ({ violated }) => {
    const seen = new Seen();
    return {
      committed: (changes) => {
        for (const wrong of [...seen.cameIn(changes), ...seen.wentWith(changes)]) violated(wrong);
      },
    };
  },
};

/** Which zones there are, and who is in which, by all commits so far. */
class Seen {
  readonly #zones = new Set<string>();
  readonly #homes = new Map<string, string>();

  /** Takes in who came and went; says who came into a zone that is not there. */
  cameIn(changes: readonly Committed[]): readonly string[] {
    for (const { after } of changes) if (after.key.sk === 'head' && !after.gone) this.#zones.add(nameIn(after.key.pk));
    return changes.flatMap((change) => {
      const who = change.after.key.pk;
      const before = this.#homes.get(who);
      const home = isSomebody(change) ? homeIn(change) : before;
      if (home === undefined) this.#homes.delete(who);
      else this.#homes.set(who, home);
      return home === undefined || home === before || this.#zones.has(home) ? [] : [`${who} came into ${home}, which is not there`];
    });
  }

  /** Takes in which zones have ended; says who was in them. */
  wentWith(changes: readonly Committed[]): readonly string[] {
    return changes.flatMap(({ after: { key, gone } }) => {
      if (key.sk !== 'head' || !gone) return [];
      const name = nameIn(key.pk);
      this.#zones.delete(name);
      const left = [...this.#homes].find(([, home]) => home === name);
      return left ? [`${name} was deleted with ${left[0]} in it`] : [];
    });
  }
}

const isSomebody = ({ after: { key } }: Committed): boolean => key.sk === 'client' || key.sk === 'node';

const nameIn = (pk: string): string => decodeURIComponent(pk.slice('zone#'.length));

/**
 * The zone of a client system that is accepted, or of a node that was not given up, by its row; undefined where it is
 * in none.
 */
function homeIn({ after: { key, body, gone } }: Committed): string | undefined {
  if (gone) return undefined;
  if (key.sk === 'client') {
    const client = body as Client | ClientAlias;
    return client.standing === 'accepted' ? client.zone : undefined;
  }
  const { zone, status, removedAt } = body as Node;
  return status === 'dropped' || removedAt !== undefined ? undefined : zone;
}

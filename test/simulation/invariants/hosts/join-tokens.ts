import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import type { Admitted, JoinToken } from '../../../../lib/nodes/join-tokens/join-token.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';

/** A token that lets more in than it should is a key that fits every door. */
export const joinTokens: Invariant = {
  name: 'a-join-token-admits-as-often-as-it-may',
  says: 'a join token admits as many hosts as it may, each once, of the names it is for, while it holds, in the commit that makes the node with that key',
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const change of changes) {
        if (change.after.key.sk !== 'join-token' || change.after.gone) continue;
        for (const wrong of [...overuse(change), ...newcomers(change).flatMap((one) => wrongIn(change, one, changes) ?? [])])
          violated(`token ${tokenOf(change).id} ${wrong}`);
      }
    },
  }),
};

const tokenOf = ({ after }: Committed): JoinToken => after.body as JoinToken;

function overuse(change: Committed): string[] {
  const { uses, admitted } = tokenOf(change);
  const hosts = new Set(admitted.map(({ fp }) => fp));
  return [
    ...(admitted.length > uses ? [`is for ${uses}, and has admitted ${admitted.length}`] : []),
    ...(hosts.size < admitted.length ? ['has counted one host twice'] : []),
  ];
}

function newcomers(change: Committed): readonly Admitted[] {
  const known = new Set((change.before?.body as JoinToken | undefined)?.admitted.map(({ fp }) => fp));
  return tokenOf(change).admitted.filter(({ fp }) => !known.has(fp));
}

function wrongIn(change: Committed, { fp, node }: Admitted, changes: readonly Committed[]): string | undefined {
  const token = tokenOf(change);
  const made = changes.find(({ after }) => after.key.sk === 'node' && !after.gone && (after.body as Node).id === node)?.after.body as Node;
  if (!made || fingerprintOf(made.publicKey) !== fp)
    return `has admitted ${node}, and no such node was made with the key ${fp.slice(0, 8)}`;
  if (!isFor(token, made.fqdn)) return `is for ${token.nodes}, and has admitted ${made.fqdn}`;
  return token.revokedAt !== undefined || token.expiresAt <= change.at - skewMs ? `has ended, and has admitted ${node}` : undefined;
}

/** The names of this world are numbered, and a token is for one of them or for all. */
const isFor = ({ nodes }: JoinToken, fqdn: string): boolean => nodes === fqdn || nodes.startsWith('node[');

import { nodeRoutes } from '../../../../lib/node-contract.ts';
import type { PooledHost } from '../../../../lib/nodes/admission/rows/pooled-host.ts';
import type { JoinToken } from '../../../../lib/nodes/join-tokens/join-token.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';

/**
 * Whoever says where others connect has them try the doors of a network that it cannot reach, and speaks for machines
 * that are not its own.
 */
export const ownWatch: Invariant = {
  name: 'nobody-is-watched-where-it-is-not',
  says: 'nobody is asked to watch an address that is not its node’s: a node is watched under its own name or at an address that it has joined from, or where a token or an operator’s word that came with its join allows any',
  begin: ({ violated }) => {
    /** Where joins under a key came from. */
    const sources = new Map<string, Set<string>>();
    return {
      asked: ({ path, sent, source }) => {
        if (path !== nodeRoutes.join.path || source === undefined) return;
        const { publicKey } = sent as { readonly publicKey: string };
        sources.set(publicKey, (sources.get(publicKey) ?? new Set()).add(source));
      },
      committed: (changes) => {
        for (const { before, after } of nodeSteps(changes)) {
          if (!after || before?.watch === after.watch) continue;
          const host = after.watch.replace(/:\d+$/, '').toLowerCase();
          if (host === after.fqdn || sources.get(after.publicKey)?.has(host) || isAllowed(after, changes)) continue;
          violated(`${after.id} (${after.fqdn}) is watched at ${after.watch}, and nobody allowed it`);
        }
      },
    };
  },
};

/** Whether a token that counts the node, or an operator's word for this very address, is used in the same commit. */
const isAllowed = ({ id, watch }: Node, changes: readonly Committed[]): boolean =>
  changes.some(({ before, after }) => {
    if (after.key.sk === 'join-token') {
      const { anyWatch, admitted } = after.body as JoinToken;
      return anyWatch === true && admitted.some(({ node }) => node === id);
    }
    const host = after.key.sk === 'pooled-host' && after.gone ? (before?.body as PooledHost | undefined) : undefined;
    return host?.standing === 'admitted' && host.as.anyWatch === true && host.watch === watch;
  });

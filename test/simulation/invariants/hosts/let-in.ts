import type { JoinToken } from '../../../../lib/nodes/join-tokens/join-token.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { type NodeStep, nodeSteps } from '../rows.ts';

/** Whoever becomes a node is told to client systems: the door to that is the one that matters most. */
export const letIn: Invariant = {
  name: 'only-who-is-let-in-becomes-a-node',
  says: 'a node is made or taken back only with what admits it: a token that counts it, a place in the pool that an operator admitted, an operator himself, or for one that was never removed a rule',
  begin: ({ violated }) => {
    const counted = new Map<string, JoinToken>();
    const wasRemoved = new Set<string>();
    let rules = 0;
    const admits = (step: NodeStep, changes: readonly Committed[]): boolean =>
      isByOperator(step) ||
      changes.some(isAdmittedHost) ||
      [...counted.values()].some((token) => token.admitted.some(({ node }) => node === step.id)) ||
      (rules > 0 && !wasRemoved.has(step.id));
    const note = ({ after }: Committed): void => {
      if (after.key.sk === 'admission-rules') rules = (after.body as { rules: readonly unknown[] }).rules.length;
      if (after.key.sk !== 'join-token') return;
      const token = after.body as JoinToken;
      if (after.gone || token.revokedAt !== undefined) counted.delete(token.id);
      else counted.set(token.id, token);
    };
    return {
      committed: (changes) => {
        for (const change of changes) note(change);
        for (const step of nodeSteps(changes)) {
          const { id, before, after } = step;
          const isMade = after !== undefined && (before === undefined || isBack(before, after));
          if (isMade && !admits(step, changes)) violated(`${id} (${after.fqdn}) became a node, and nothing let it in`);
          if (after?.removedAt !== undefined) wasRemoved.add(id);
          if (isMade) wasRemoved.delete(id);
        }
      },
    };
  },
};

const isBack = (before: Node, after: Node): boolean => before.removedAt !== undefined && after.removedAt === undefined;

const isByOperator = ({ row }: NodeStep): boolean => row.actor !== undefined && !/^(node|client):/.test(row.actor.who);

const isAdmittedHost = ({ before, after }: Committed): boolean =>
  after.key.sk === 'pooled-host' && after.gone === true && (before?.body as { standing: string } | undefined)?.standing === 'admitted';

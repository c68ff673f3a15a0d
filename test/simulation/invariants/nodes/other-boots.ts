import type { Invariant } from '../invariant.ts';
import { nodeSteps, told } from '../rows.ts';
import { vouchedIn } from '../vouched.ts';

type Report = { readonly id?: string; readonly type?: string; readonly incarnation?: number };

/**
 * Two boots count their reports each from 1: a report of the one before would set what the present one has not said
 * yet.
 */
export const otherBoots: Invariant = {
  name: 'reports-of-another-boot-change-nothing',
  says: 'what a row says of a node, its seq, readiness, release and leave, comes from reports of the boot that it is at; a report of another boot changes nothing of it, unless it is a node-up',
  begin: ({ violated }) => {
    const incarnations = new Map<string, number>();
    return {
      sent: ({ body }) => {
        if (!body.includes('"node.')) return;
        const { id, type, incarnation }: Report = vouchedIn(body) ?? (JSON.parse(body) as Report);
        if (id !== undefined && incarnation !== undefined && type?.startsWith('node.') && type !== 'node.up')
          incarnations.set(id, incarnation);
      },
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const incarnation = incarnations.get(step.cause);
          if (incarnation !== undefined && step.before && incarnation !== step.before.incarnation)
            violated(`${told(step)} of incarnation ${incarnation}; the node is at ${step.before.incarnation}`);
        }
      },
    };
  },
};

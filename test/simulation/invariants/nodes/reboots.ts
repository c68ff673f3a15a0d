import type { Node, NodeStatus } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps, told } from '../rows.ts';

/** A restart of an agent is the most ordinary thing; it must cost nobody anything. */
export const reboots: Invariant = {
  name: 'a-reboot-changes-nothing-else',
  says: 'a new boot of a member leaves its place, generation and standing as they are: only a suspicion or a hold ends with it, only a clone is quarantined',
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const step of nodeSteps(changes)) {
        const { before, after } = step;
        if (!before || !after || after.incarnation === before.incarnation || !allowed[before.status]) continue;
        // None has begun yet: somebody else is to speak of its life, and an edit is followed by its zone.
        if (!after.boot) continue;
        const wrong = whyWrong(before, after);
        if (wrong) violated(`${told(step)}: ${wrong}`);
      }
    },
  }),
};

function whyWrong(before: Node, after: Node): string | undefined {
  if (!allowed[before.status]!.includes(after.status)) return 'it stands otherwise than before';
  if (isDraining(before) && !isDraining(after)) return 'a drain does not end by a restart';
  if (after.index !== before.index || after.generation !== before.generation || after.weight !== before.weight)
    return 'it is another member than before';
  const stays = before.status === after.status && before.status !== 'down';
  if (stays && after.awaitsPlan !== before.awaitsPlan) return 'the zone must follow';
  return isQuarantined(before) && !isQuarantined(after) ? 'its quarantine is lost' : undefined;
}

const isDraining = (node: Node): boolean => 'leaving' in node && node.leaving?.mode === 'drain';

const allowed: Readonly<Partial<Record<NodeStatus, readonly NodeStatus[]>>> = {
  joining: ['joining'],
  up: ['up'],
  suspect: ['joining', 'up', 'leaving', 'quarantined'],
  leaving: ['leaving', 'up'],
  quarantined: ['quarantined'],
  down: ['down'],
};

const isQuarantined = (node: Node): boolean => node.status === 'quarantined' || ('reason' in node && node.reason !== undefined);

import type { Node } from '../../../../lib/nodes/node.ts';
import { generationAt } from '../../../../lib/zones/map/rows/roster.ts';
import type { Invariant } from '../invariant.ts';
import { type Handover, handoversOf, type NodeStep, nodeSteps, told } from '../rows.ts';
import { ownersMoved, slotsOf, standingIn, type ZoneStep, ZoneTruth } from '../zones/zone-truth.ts';

/**
 * A machine that is lost is replaced so that nobody else notices: its place goes over whole, once, and to nobody but
 * the one that was named.
 */
export const replacements: Invariant = {
  name: 'a-replacement-takes-the-place',
  says: 'a place is handed over as an operator has ordered, to the ready node that the order names and that has no slots, which then stands there under its own name, and has every slot of it in recovery mode, but for those that go home to a node that is back; whoever is to be replaced never serves again; in the end no node that is ready waits for a place',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const nodes = new Map<string, Node>();
    return {
      committed: (changes) => {
        const zone = truth.take(changes);
        const steps = nodeSteps(changes);
        for (const { id, after } of steps) {
          if (after) nodes.set(id, after);
          else nodes.delete(id);
        }
        for (const step of steps) if (servesAgain(step)) violated(`${told(step)}, although another takes its place`);
        for (const handover of handoversOf(steps)) {
          const wrong = wronglyOrdered(handover) ?? (zone ? wronglyPlaced(handover, zone) : 'the roster is as it was');
          if (wrong) violated(`${told(handover.by)}: ${wrong}`);
        }
      },
      unrest: () =>
        [...nodes.values()].flatMap((old) => {
          const by = old.index === undefined ? undefined : nodes.get(old.replacedBy?.node ?? '');
          const waits = by?.status === 'up' && by.replaces === old.id && by.zone === old.zone && old.removedAt !== undefined;
          return waits ? [`${by.id.slice(0, 8)} waits for the place of ${old.id.slice(0, 8)}`] : [];
        }),
    };
  },
};

const serving: ReadonlySet<string> = new Set(['joining', 'up', 'leaving', 'quarantined']);

/** It has come back although it was to be replaced, and nobody has thought better of it. */
const servesAgain = ({ before, after }: NodeStep): boolean =>
  before?.replacedBy !== undefined && after?.replacedBy !== undefined && before.status !== after.status && serving.has(after.status);

/** Both rows said so before, and the one that takes the place was ready. */
function wronglyOrdered({ old, by }: Handover): string | undefined {
  const [from, heir] = [old.before!, by.before];
  if (from.replacedBy?.node !== by.id || from.removedAt === undefined) return 'nobody has ordered it';
  if (heir?.status !== 'up' || heir.replaces !== old.id) return 'it was not ready, or was to take no place';
  return old.after!.status === 'dropped' ? undefined : `the other is ${old.after!.status}`;
}

/** It stands where the other stood, and nowhere else, and what was there is its own. */
function wronglyPlaced({ index, by }: Handover, step: ZoneStep): string | undefined {
  const { before, after } = step;
  const { id, fqdn, generation } = by.after!;
  const own = by.before!.index;
  const member = after.members[index];
  if (member?.node !== id || member.fqdn !== fqdn) return `index ${index} is ${member?.fqdn ?? 'nobody'} to client systems`;
  if (standingIn(after, index) !== 'up' || generationAt(after.head.roster, index) !== generation) return `index ${index} is not it`;
  if (own !== undefined && standingIn(after, own) !== 'none') return `it stands at index ${own} too`;
  if (own !== undefined && (slotsOf(before!).get(own) ?? 0) > 0) return 'it had slots of its own';
  // What the place had for another that is back now, such as by another replacement in the same plan, goes home; so
  // does what is still owed to one that has been back for a while.
  const isBack = (to: number): boolean => standingIn(before!, to) !== 'up' || before!.head.settling.includes(to);
  const goesHome = (slot: number, to: number): boolean => before!.map.home[slot] === to && isBack(to);
  const moved = after.head.mode === 'recovery' ? ownersMoved(step).filter(({ from }) => from === index) : [];
  const lost = moved.filter(({ slot, to }) => !goesHome(slot, to));
  return lost.length > 0 ? `${lost.length} slots of the place went elsewhere` : undefined;
}

import type { EpochMs } from '../../core/time.ts';
import { clientsMax } from '../../zones/capacity/crowding.ts';
import { rosterSize, standingAt } from '../../zones/map/rows/roster.ts';
import { nobody } from '../../zones/map/rows/slots.ts';
import { standingOf, viewedStanding } from '../../zones/map/rows/standing.ts';
import { countsBySlot, splitMap } from '../../zones/map/split.ts';
import { packedMoves } from '../../zones/map/view.ts';
import { type LoadedZone, slotsOwned } from '../../zones/rows/loaded.ts';
import { pastPlaces } from '../../zones/rows/places.ts';
import { systemsByNode } from '../../zones/view/zone.ts';
import type { Counts } from '../../zones/zone.ts';
import type { NodePreview, OtherMoves, ZonePreview } from './routes.ts';

/**
 * A zone before and after, with the count of its client systems, and the indexes of the nodes in question: undefined
 * for all.
 */
export type Compared = {
  readonly before: LoadedZone;
  readonly after: LoadedZone;
  readonly counts: Counts | undefined;
  readonly about: readonly number[] | undefined;
};

/** What differs between the two: the slots that moved, where to, and what each node has. */
export function outcomeOf(compared: Compared): Pick<ZonePreview, 'slots' | 'moved' | 'waiting' | 'others' | 'nodes' | 'moves'> {
  const { after, about } = compared;
  const moves = movesIn(compared);
  const isAbout = (index: number): boolean => about?.includes(index) ?? true;
  const own = moves.filter(({ from, owner }) => from !== owner && isAbout(from));
  return {
    slots: after.head.slots,
    moved: {
      slots: own.length,
      systemsAbout: systemsIn(own),
      nodes: new Set(own.flatMap(({ owner }) => (owner === nobody ? [] : [owner]))).size,
    },
    waiting: waitingIn(compared),
    others: othersIn(
      compared,
      moves.filter(({ from, owner }) => from !== owner && !isAbout(from)),
    ),
    nodes: nodesIn(compared),
    moves: packedMoves(moves),
  };
}

/** A slot whose owner or home differs, and its client systems. */
type Moved = { readonly slot: number; readonly from: number; readonly owner: number; readonly home: number; readonly systems: number };

/** Slots by the number that the later map gives them: if they were split in between, each part of one is counted. */
function movesIn({ before, after, counts }: Compared): Moved[] {
  const slots = after.map.owner.length;
  const was = splitMap(before.map, slots);
  const systems = countsBySlot(counts, slots);
  const moved: Moved[] = [];
  for (const [slot, owner] of after.map.owner.entries()) {
    const [from, home] = [was.owner[slot] ?? nobody, after.map.home[slot] ?? nobody];
    if (from !== owner || was.home[slot] !== home) moved.push({ slot, from, owner, home, systems: systems[slot] ?? 0 });
  }
  return moved;
}

const systemsIn = (slots: readonly Moved[]): number => Math.round(slots.reduce((sum, { systems }) => sum + systems, 0));

/** The slots of the nodes in question that are still with a node that must give them, or with none. */
function waitingIn({ before, after, counts, about }: Compared): ZonePreview['waiting'] {
  const was = splitMap(before.map, after.map.owner.length);
  const systems = countsBySlot(counts, after.map.owner.length);
  const isAbout = new Set((about ?? []).filter((index) => standingOf(standingAt(after.head.roster, index)) !== 'up'));
  let [slots, sum] = [0, 0];
  for (const [slot, owner] of after.map.owner.entries()) {
    if (owner !== was.owner[slot] || !isAbout.has(owner)) continue;
    slots++;
    sum += systems[slot] ?? 0;
  }
  return { slots, systemsAbout: Math.round(sum) };
}

function othersIn({ before, after }: Compared, moves: readonly Moved[]): OtherMoves[] {
  return [...Map.groupBy(moves, ({ from }) => from)].flatMap(([from, some]): OtherMoves[] => {
    const member = before.members[from];
    if (!member) return [];
    const [was, is] = [before, after].map(({ head }) => viewedStanding(standingOf(standingAt(head.roster, from))));
    const because =
      was === 'up' && is === 'up' ? 'the load is evened out' : was === is ? `it is ${was}` : `it is ${was}, and will be ${is}`;
    return [{ node: member.node, fqdn: member.fqdn, slots: some.length, because }];
  });
}

function nodesIn({ before, after, counts }: Compared): NodePreview[] {
  const past = pastPlaces(after);
  const [owned, ownedAfter] = [slotsOwned({ ...before, map: splitMap(before.map, after.map.owner.length) }), slotsOwned(after)];
  const [systems, systemsAfter] = [systemsByNode(before, counts), systemsByNode(after, counts)];
  return Array.from({ length: rosterSize(after.head.roster) }, (_, index) => index).flatMap((index): NodePreview[] => {
    const member = after.members[index];
    if (!member || past.has(index)) return [];
    const has = systemsAfter.get(index) ?? 0;
    return [
      {
        index,
        node: member.node,
        fqdn: member.fqdn,
        standing: viewedStanding(standingOf(standingAt(after.head.roster, index))),
        slots: { before: owned[index] ?? 0, after: ownedAfter[index] ?? 0 },
        systemsAbout: { before: systems.get(index) ?? 0, after: has },
        ...(member.capacity !== undefined && { room: clientsMax(member.capacity) - has }),
      },
    ];
  });
}

/** A moment as the API shows it. */
export const iso = (at: EpochMs): string => new Date(at).toISOString();

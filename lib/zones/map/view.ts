import type { LoadedZone } from '../rows/loaded.ts';
import { pastPlaces } from '../rows/places.ts';
import { systemsByNode } from '../view/zone.ts';
import type { Counts } from '../zone.ts';
import type { PlacedSlot } from './changed.ts';
import type { MapNode, ZoneMapView } from './routes.ts';
import { generationAt, standingAt } from './rows/roster.ts';
import { leaveModeOf, standingOf, viewedStanding } from './rows/standing.ts';
import { countsBySlot } from './split.ts';

/** The nodes of a zone as its map names them, without the indexes that returned nodes had before. */
export function mapNodes(zone: LoadedZone, counts: Counts | undefined): MapNode[] {
  const past = pastPlaces(zone);
  const systems = systemsByNode(zone, counts);
  return zone.members.flatMap((member, index): MapNode[] => {
    if (!member || past.has(index)) return [];
    const standing = standingOf(standingAt(zone.head.roster, index));
    const leaving = leaveModeOf(standing);
    const { node, fqdn, weight, capacity } = member;
    return [
      {
        index,
        node,
        fqdn,
        standing: viewedStanding(standing),
        ...(leaving && { leaving }),
        generation: generationAt(zone.head.roster, index),
        weight,
        ...(capacity !== undefined && { capacity }),
        systemsAbout: systems.get(index) ?? 0,
      },
    ];
  });
}

/** The map of a zone: whole, or only the slots that changed. */
export function zoneMapView(zone: LoadedZone, counts: Counts | undefined, changed: readonly PlacedSlot[] | undefined): ZoneMapView {
  const { head, map } = zone;
  return {
    zone: head.name,
    version: head.mapVersion,
    slots: head.slots,
    ...(counts && { countedAt: new Date(counts.at).toISOString() }),
    nodes: mapNodes(zone, counts),
    ...(changed
      ? { moves: packedMoves(changed) }
      : { whole: { owner: packed(map.owner), home: packed(map.home), systems: systemsOf(zone, counts) } }),
  };
}

/** Slots with their owners and homes, 8 bytes each, in base64. */
export function packedMoves(moves: readonly PlacedSlot[]): string {
  const bytes = Buffer.alloc(moves.length * 8);
  for (const [n, { slot, owner, home }] of moves.entries()) {
    bytes.writeUInt32LE(slot, n * 8);
    bytes.writeUInt16LE(owner, n * 8 + 4);
    bytes.writeUInt16LE(home, n * 8 + 6);
  }
  return bytes.toString('base64');
}

const cellMax = 0xffff;

function packed(cells: Uint16Array | Float64Array): string {
  const bytes = Buffer.alloc(cells.length * 2);
  for (const [slot, cell] of cells.entries()) bytes.writeUInt16LE(Math.min(cellMax, Math.round(cell)), slot * 2);
  return bytes.toString('base64');
}

const systemsOf = ({ head }: LoadedZone, counts: Counts | undefined): string => packed(countsBySlot(counts, head.slots));

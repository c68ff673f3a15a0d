import type { EpochMs } from '../../../../lib/core/time.ts';
import { rosterSize, standingAt } from '../../../../lib/zones/map/rows/roster.ts';
import { applyDelta, decodePage, emptyMap, nobody, type SlotMap, slotsMin } from '../../../../lib/zones/map/rows/slots.ts';
import { type Standing, standingOf } from '../../../../lib/zones/map/rows/standing.ts';
import { loadPins, type Pins, type PinsByNode } from '../../../../lib/zones/pins/pins.ts';
import { loadSchedule, type SchedulePage } from '../../../../lib/zones/turns/rows/pages.ts';
import { type AdmissionSchedule, emptySchedule } from '../../../../lib/zones/turns/turn.ts';
import { type Delta, type MapPage, type Member, type Members, membersPerPage, newZone, type ZoneHead } from '../../../../lib/zones/zone.ts';
import type { Committed } from '../../watching.ts';
import { onceEach } from '../once.ts';
import { type NodeStep, nodeSteps } from '../rows.ts';

/** A zone as its commits have made it. */
export type ZoneState = {
  readonly head: ZoneHead;
  readonly map: SlotMap;
  readonly members: readonly (Member | null)[];
  readonly turns: AdmissionSchedule;
  /** Who is pinned to which node, as far as anybody is. */
  readonly pins?: PinsByNode | undefined;
};

/** A commit of a zone's head. */
export type ZoneStep = {
  readonly at: EpochMs;
  readonly cause: string;
  readonly name: string;
  /** Undefined when the zone was made. */
  readonly before: ZoneState | undefined;
  readonly after: ZoneState;
  readonly nodes: readonly NodeStep[];
  readonly changes: readonly Committed[];
};

/**
 * What follows from all commits so far about each zone, read from heads, members, the one page of a small map, and the
 * deltas of a large one.
 */
export class ZoneTruth {
  readonly zones = new Map<string, ZoneState>();

  /**
   * Takes a commit in; the step that it was, if it wrote a zone's head. One that was deleted is as if it had never
   * been.
   */
  take(changes: readonly Committed[]): ZoneStep | undefined {
    const written = headIn(changes);
    if (!written) return undefined;
    const { name } = written.after.body as ZoneHead;
    const known = this.zones.get(name);
    // Whoever knows the zone as the one before did takes the same step.
    if (written !== last?.written || known !== last.known)
      last = { written, known, step: written.after.gone ? undefined : stepOf(known, written, changes) };
    const { step } = last;
    if (step) this.zones.set(name, step.after);
    else this.zones.delete(name);
    return step;
  }
}

const headIn = onceEach((changes: readonly Committed[]) => changes.find(({ after }) => after.key.sk === 'head'));

/** The last step that was taken, of what state of its zone. */
let last: { readonly written: Committed; readonly known: ZoneState | undefined; readonly step: ZoneStep | undefined } | undefined;

function stepOf(state: ZoneState | undefined, written: Committed, changes: readonly Committed[]): ZoneStep {
  const head = written.after.body as ZoneHead;
  const known = state ?? (written.before?.gone ? undefined : madeBefore(head));
  const before = asLarge(known, head.slots);
  const isSplit = before !== undefined && before.head.slots !== head.slots;
  const after: ZoneState = {
    head,
    map: mapAfter(before, head, { changes, isSplit }),
    members: membersAfter(before, changes),
    turns: turnsAfter(before, changes),
    pins: pinsIn(changes) ?? before?.pins,
  };
  return { at: written.at, cause: written.after.by, name: head.name, before, after, nodes: nodeSteps(changes), changes };
}

/** A zone that was there before its history began, as it was made; undefined for one that is made by this commit. */
const madeBefore = ({ name, number, slots, version }: ZoneHead): ZoneState | undefined =>
  version === 0 ? undefined : { head: newZone(name, number, slots), map: emptyMap(slots), members: [], turns: emptySchedule };

/** The state with its slots split as often as the next one's are, so that slots can be compared. */
function asLarge(zone: ZoneState | undefined, slots: number): ZoneState | undefined {
  if (!zone || zone.map.owner.length >= slots) return zone;
  const parts = slots / zone.map.owner.length;
  const split = (cells: Uint16Array): Uint16Array => Uint16Array.from({ length: slots }, (_, slot) => cells[Math.floor(slot / parts)]!);
  return { ...zone, map: { owner: split(zone.map.owner), home: split(zone.map.home) } };
}

function mapAfter(
  before: ZoneState | undefined,
  { slots }: ZoneHead,
  { changes, isSplit }: { changes: readonly Committed[]; isSplit: boolean },
): SlotMap {
  const known = before?.map ?? emptyMap(slots);
  const deltas = changes.filter(({ after }) => after.key.sk.startsWith('delta#')).map(({ after }) => after.body as Delta);
  const pages = slots === slotsMin || isSplit ? changes.filter(({ after }) => after.key.sk.startsWith('map#')) : [];
  if (deltas.length === 0 && pages.length === 0) return known;
  const map = { owner: known.owner.slice(), home: known.home.slice() };
  for (const { after } of pages) decodePage((after.body as MapPage).cells, map, Number(after.key.sk.slice('map#'.length)));
  for (const { moves } of deltas.sort((a, b) => a.version - b.version)) applyDelta(moves, map);
  return map;
}

function membersAfter(before: ZoneState | undefined, changes: readonly Committed[]): readonly (Member | null)[] {
  const known = before?.members ?? [];
  const pages = changes.filter(({ after }) => after.key.sk.startsWith('members#'));
  if (pages.length === 0) return known;
  const all = [...known];
  for (const { after } of pages) {
    const first = Number(after.key.sk.slice('members#'.length)) * membersPerPage;
    for (const [n, member] of (after.body as Members).members.entries()) all[first + n] = member;
  }
  return all;
}

/** The pins that a commit writes; undefined when it writes none. */
export function pinsIn(changes: readonly Committed[]): PinsByNode | undefined {
  const row = changes.find(({ after }) => after.key.sk.startsWith('pins#'))?.after;
  return row && loadPins(row.gone ? undefined : (row.body as Pins));
}

/** The turns that clients wait for: all of them are on one page. */
function turnsAfter(before: ZoneState | undefined, changes: readonly Committed[]): AdmissionSchedule {
  const page = changes.find(({ after }) => after.key.sk.startsWith('turns#'));
  return page ? loadSchedule([page.after.body as SchedulePage]) : (before?.turns ?? emptySchedule);
}

/** How the node with an index stands. */
export const standingIn = ({ head }: ZoneState, index: number): Standing => standingOf(standingAt(head.roster, index));

/** Every index that was ever given. */
export const indexesOf = ({ head }: ZoneState): number[] => Array.from({ length: rosterSize(head.roster) }, (_, index) => index);

/** The slots whose owner has changed, and from whom to whom. */
export function ownersMoved({ before, after }: ZoneStep): { readonly slot: number; readonly from: number; readonly to: number }[] {
  if (!before || before.map === after.map) return [];
  const moved: { slot: number; from: number; to: number }[] = [];
  for (let slot = 0; slot < after.map.owner.length; slot++) {
    const [from, to] = [before.map.owner[slot]!, after.map.owner[slot]!];
    if (from !== to) moved.push({ slot, from, to });
  }
  return moved;
}

/** How many slots each index owns. */
export function slotsOf({ map }: ZoneState): Map<number, number> {
  const owned = new Map<number, number>();
  for (const owner of map.owner) if (owner !== nobody) owned.set(owner, (owned.get(owner) ?? 0) + 1);
  return owned;
}

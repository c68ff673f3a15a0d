import { Later } from '../../core/errors.ts';
import type { ZoneName } from '../../core/ids.ts';
import type { Ref } from '../../core/ref.ts';
import type { EpochMs } from '../../core/time.ts';
import { deltaSort, numbered, zonePartition } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { read, readRow, readRows, trustedRows } from '../../runtime/read.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { planZone } from '../create.ts';
import { gateRef } from '../gate/gate.ts';
import { rosterSize } from '../map/rows/roster.ts';
import { pageSlots, type SlotMap, slotsMin } from '../map/rows/slots.ts';
import { loadPins, noPins, type PinsByNode, pinsRef } from '../pins/pins.ts';
import { type LoadedZone, loadMap, loadMembers, loadRevoked } from '../rows/loaded.ts';
import { loadSchedule, type SchedulePage, schedulePages, scheduleRef } from '../turns/rows/pages.ts';
import { type AdmissionSchedule, emptySchedule } from '../turns/turn.ts';
import {
  type Delta,
  defaultZone,
  defaultZoneNumber,
  deltaRef,
  type MapPage,
  type Members,
  mapRef,
  membersPerPage,
  membersRef,
  type Revoked,
  revokedRef,
  type ZoneHead,
  zoneRef,
} from '../zone.ts';

type CachedZone = { zone: LoadedZone; readAt: EpochMs };
type Zones = { byName: Map<string, CachedZone>; loading: Map<string, Promise<LoadedZone | undefined>>; names: Map<number, ZoneName> };

const zonesOf = (shell: Shell): Zones => cached(shell, 'zones', () => ({ byName: new Map(), loading: new Map(), names: new Map() }));

/** The zone from the cache of this environment, if that is fresh enough to answer by; never waits. */
export function freshZone(shell: Shell, name: string): LoadedZone | undefined {
  const entry = zonesOf(shell).byName.get(name);
  return entry && shell.now() - entry.readAt <= shell.settings.zoneMaxAgeMs ? entry.zone : undefined;
}

/** The fresh zone with this number, if this environment has it. */
export function freshZoneByNumber(shell: Shell, number: number): LoadedZone | undefined {
  const name = zonesOf(shell).names.get(number);
  return name === undefined ? undefined : numberedSo(freshZone(shell, name), number);
}

/**
 * The zone, refreshed when the cached one is too old or older than `atLeast`, a map version that an answer has already
 * used. Undefined when the zone does not exist. Concurrent callers share one refresh of a zone.
 */
export async function zoneOf(shell: Shell, name: string, atLeast = 0): Promise<LoadedZone | undefined> {
  const fresh = freshZone(shell, name);
  if (fresh && fresh.head.version >= atLeast) return fresh;
  const { loading } = zonesOf(shell);
  const running = loading.get(name);
  if (running) {
    const shared = await running;
    // The shared refresh may have begun before that version existed; one that begins now did not.
    if (!shared || shared.head.version >= atLeast) return shared;
    const begun = loading.get(name);
    if (begun) return begun;
  }
  const load = refresh(shell, name).finally(() => loading.delete(name));
  loading.set(name, load);
  return load;
}

/** The zone as the table has it, however fresh the cached one is: for an answer that is not soon asked for again. */
export const zoneNow = (shell: Shell, name: string): Promise<LoadedZone | undefined> => zoneOf(shell, name, Number.POSITIVE_INFINITY);

/** The zone with this number in tokens; undefined when none has it. */
export async function zoneByNumber(shell: Shell, number: number, atLeast = 0): Promise<LoadedZone | undefined> {
  const { names } = zonesOf(shell);
  if (!names.has(number)) {
    const row = await readRow(shell, gateRef(number));
    if (!row) return undefined;
    names.set(number, row.body.name);
  }
  return numberedSo(await zoneOf(shell, names.get(number)!, atLeast), number);
}

/** Another zone of the same name may have been created after the one with this number was deleted. */
const numberedSo = (zone: LoadedZone | undefined, number: number): LoadedZone | undefined =>
  zone?.head.number === number ? zone : undefined;

/** Expires the cached zone after this environment has changed it: the next answer reads it anew. */
export function forgetZone(shell: Shell, name: string): void {
  const entry = zonesOf(shell).byName.get(name);
  if (entry) entry.readAt = 0 as EpochMs;
}

/** Reads the zone's head and revocations, and the parts of map and members that have moved since. */
async function refresh(shell: Shell, name: string): Promise<LoadedZone | undefined> {
  const { byName, names } = zonesOf(shell);
  for (let attempt = 1; attempt <= refreshesMax; attempt++) {
    const readAt = shell.now();
    const [headRow, revokedRow] = await readRows(shell, [zoneRef(name), revokedRef(name)]);
    const head = stateOf(headRow, readAt);
    if (!head) {
      byName.delete(name);
      return undefined;
    }
    const known = byName.get(name)?.zone;
    const previous = known?.head.number === head.number ? known : undefined;
    const loaded = previous && previous.head.version > head.version ? previous : await load(shell, head, revokedRow?.body, previous);
    if (!loaded) continue;
    byName.set(name, { zone: loaded, readAt });
    names.set(head.number, name as ZoneName);
    return loaded;
  }
  throw new Later('zone.moving', `zone ${name} changed through ${refreshesMax} reads of its map`);
}

/** How often a refresh starts again because the map moved between the reads of head and pages. */
const refreshesMax = 5;

async function load(
  shell: Shell,
  head: ZoneHead,
  revoked: Revoked | undefined,
  previous: LoadedZone | undefined,
): Promise<LoadedZone | undefined> {
  const sameMap = previous?.head.mapVersion === head.mapVersion && previous.head.slots === head.slots;
  const sameMembers = previous?.head.membersVersion === head.membersVersion;
  const sameRevoked = previous?.revokedVersion === (revoked?.version ?? 0);
  const map = sameMap ? previous.map : await readMap(shell, head);
  if (!map) return undefined;
  const turns = previous && previous.head.turnsVersion === head.turnsVersion ? previous.turns : await readSchedule(shell, head);
  if (!turns) return undefined;
  return {
    head,
    map,
    turns,
    pins: head.pinned ? await readPins(shell, head.name) : noPins(),
    members: sameMembers
      ? previous.members
      : loadMembers((await readRows(shell, memberRefs(head))).map((row) => row?.body ?? { members: [] })),
    ...(sameRevoked
      ? { revokedAt: previous.revokedAt, tokensBefore: previous.tokensBefore, revokedVersion: previous.revokedVersion }
      : loadRevoked(revoked)),
  };
}

/** The map as of the head; undefined when a page is newer than the head that was read. */
async function readMap(shell: Shell, head: ZoneHead): Promise<SlotMap | undefined> {
  const pages = (await readRows(shell, mapRefs(head))).flatMap((row) => (row ? [row.body] : []));
  if (pages.some((page) => page.version > head.mapVersion)) return undefined;
  const since = Math.min(...pages.map((page) => page.version));
  const deltas = head.slots === slotsMin ? [] : await readDeltas(shell, head.name, since);
  return loadMap(
    head.slots,
    pages.map((page) => page.cells),
    deltas.filter((delta) => delta.version <= head.mapVersion).map((delta) => delta.moves),
  );
}

/** The turns as of the head; undefined when a page is newer than the head that was read. */
async function readSchedule(shell: Shell, head: ZoneHead): Promise<AdmissionSchedule | undefined> {
  const { turnsVersion } = head;
  if (turnsVersion === undefined) return emptySchedule;
  const pages = (await readRows(shell, scheduleRefs(head))).flatMap((row) => (row ? [row.body] : []));
  return pages.some((page) => page.version > turnsVersion) ? undefined : loadSchedule(pages);
}

/** The pins, read after the head, so that a plan's change of both is never missed. */
const readPins = async (shell: Shell, name: string): Promise<PinsByNode> => loadPins(await read(shell, pinsRef(name)));

/**
 * The changes after a map version, in order. Applying one that a page already holds changes nothing, because every
 * later one follows.
 */
export const readDeltas = async (shell: Shell, zone: string, since: number): Promise<Delta[]> =>
  (await readDeltaRows(shell, zone, since)).map(({ body }) => body);

/** The rows of the same changes, with the times at which they end. */
export async function readDeltaRows(shell: Shell, zone: string, since: number): Promise<Row<Delta>[]> {
  const deltas: Row<Delta>[] = [];
  for (let after: string | undefined; ; ) {
    const page = await shell.table.query({
      pk: zonePartition(zone),
      from: deltaSort(since + 1),
      to: deltaSort(9_999_999_999),
      limit: 200,
      ...(after && { after }),
    });
    deltas.push(...trustedRows(deltaRef, page.items));
    if (!page.next) return deltas;
    after = page.next;
  }
}

/** The rows of a zone's map pages. */
export const mapRefs = ({ name, slots }: Pick<ZoneHead, 'name' | 'slots'>): Ref<MapPage>[] =>
  Array.from({ length: Math.ceil(slots / pageSlots) }, (_, page) => mapRef(numbered(name, page)));

/** The rows of a zone's pages of turns. */
export const scheduleRefs = ({ name, slots }: Pick<ZoneHead, 'name' | 'slots'>): Ref<SchedulePage>[] =>
  Array.from({ length: schedulePages(slots) }, (_, page) => scheduleRef(numbered(name, page)));

/** The rows of a zone's member pages. */
export const memberRefs = ({ name, roster }: ZoneHead): Ref<Members>[] =>
  Array.from({ length: Math.ceil(rosterSize(roster) / membersPerPage) }, (_, page) => membersRef(numbered(name, page)));

/**
 * Creates the zone `default` when it does not exist. Concurrent callers may find it missing; one of them creates it.
 */
export async function ensureDefaultZone(shell: Shell): Promise<void> {
  if (freshZone(shell, defaultZone) || (await zoneOf(shell, defaultZone))) return;
  await applyPlan(shell, { id: shell.newId() }, async (reading) => {
    const head = await reading.row(zoneRef(defaultZone));
    return head ? { changes: [], because: ['the zone exists'] } : planZone(defaultZone, defaultZoneNumber, shell.now());
  });
}

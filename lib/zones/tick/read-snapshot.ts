import { Conflict } from '../../core/errors.ts';
import { pacesOf } from '../../nodes/bearing/reads.ts';
import { desiredRef } from '../../nodes/desired/desired.ts';
import { nodeRef } from '../../nodes/node.ts';
import { stateReasonOf } from '../../ports/table/table.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { stationsRef } from '../../stations/stations.ts';
import { rosterSize } from '../map/rows/roster.ts';
import { slotsMin } from '../map/rows/slots.ts';
import type { ZoneSnapshot } from '../map/snapshot.ts';
import { countsBySlot } from '../map/split.ts';
import { loadPins, pinsRef } from '../pins/pins.ts';
import { mapRefs, memberRefs, readDeltas, scheduleRefs } from '../reads/zones.ts';
import { type LoadedZone, loadMap, loadMembers } from '../rows/loaded.ts';
import { loadSchedule } from '../turns/rows/pages.ts';
import { emptySchedule } from '../turns/turn.ts';
import { countsRef, type ZoneHead, zoneRef } from '../zone.ts';

/**
 * Reads everything that a plan is computed from, each row once and remembered with its revision: the due nodes and, of
 * the `desired` ones, those that leave, because their rows say which map version they must have released before they
 * may go. Throws {@link Conflict} when the map was read after a commit that the head does not include yet.
 */
export async function readSnapshot(
  shell: Shell,
  reading: Reading,
  name: string,
  nodes: readonly string[],
  desired: readonly string[],
): Promise<ZoneSnapshot | undefined> {
  const [headRow, countsRow] = await reading.rows([zoneRef(name), countsRef(name)]);
  const head = stateOf(headRow, shell.now());
  if (!head) return undefined;
  const memberRows = await reading.rows(memberRefs({ ...head, roster: roomForNew(head, nodes.length) }));
  const mapRows = await reading.rows(mapRefs(head));
  const turnRows = await reading.rows(scheduleRefs(head));
  const nodeRows = await reading.rows([...new Set([...nodes, ...desired])].map((id) => nodeRef(id)));
  const desiredRows = await reading.rows(desired.map((id) => desiredRef(id)));
  const pages = mapRows.flatMap((row) => (row ? [row.body] : []));
  // A plan from such rows could not commit, and it might rest on an impossible state: slots of a node that its roster
  // does not have.
  if (pages.some(({ version }) => version > head.mapVersion)) throw new Conflict(`zone ${name}`, `zone ${name} changed while it was read`);
  const bodies = nodeRows.flatMap((row) => stateOf(row, shell.now()) ?? []);
  const paces = head.admission && (await pacesOf(shell, bodies, head.admission));
  const pinsRow = head.pinned ? await reading.row(pinsRef(name)) : undefined;
  const pins = stateOf(pinsRow, shell.now());
  const stations = head.stations ? stateOf(await reading.row(stationsRef(name)), shell.now()) : undefined;
  const deltas = head.slots === slotsMin ? [] : await readDeltas(shell, name, Math.min(...pages.map((page) => page.version)));
  const zone: LoadedZone = {
    head,
    map: loadMap(
      head.slots,
      pages.map((page) => page.cells),
      deltas.filter((delta) => delta.version <= head.mapVersion).map((delta) => delta.moves),
    ),
    members: loadMembers(memberRows.map((row) => row?.body ?? { members: [] })),
    turns: head.turnsVersion === undefined ? emptySchedule : loadSchedule(turnRows.flatMap((row) => (row ? [row.body] : []))),
    revokedAt: new Map(),
    tokensBefore: 0,
    revokedVersion: 0,
    pins: loadPins(pins),
  };
  return {
    zone,
    headRev: headRow!.rev,
    headWakeAt: headRow!.wakeAt,
    mapRev: mapRows[0]?.rev ?? 0,
    pageRevs: mapRows.map((row) => row?.rev ?? 0),
    memberRevs: memberRows.map((row) => row?.rev ?? 0),
    scheduleRevs: turnRows.map((row) => row?.rev ?? 0),
    ...(pins && { pins: { body: pins, rev: pinsRow!.rev } }),
    ...(stations && { stations }),
    admitEveryMs: shell.settings.admitEveryMs,
    ...(paces && { paces }),
    counts: countsBySlot(countsRow?.body, head.slots),
    countedAt: countsRow?.body?.at,
    nodes: nodeRows.flatMap((row) => {
      const body = stateOf(row, shell.now());
      const follows = body && (body.status === 'leaving' || nodes.includes(body.id));
      return follows ? [{ body, rev: row!.rev, because: stateReasonOf(row!).because }] : [];
    }),
    desired: new Map(desired.map((id, i) => [id, { body: desiredRows[i]?.body ?? { release: [] }, rev: desiredRows[i]?.rev ?? 0 }])),
  };
}

/** A roster as long as the new nodes could make it, so that the member page that they would begin is read too. */
const roomForNew = (head: ZoneHead, nodes: number): Uint8Array => new Uint8Array((rosterSize(head.roster) + nodes) * 3);

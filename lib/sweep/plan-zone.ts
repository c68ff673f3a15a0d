import { nothing, type Plan } from '../decision.ts';
import { type Deployment, decideDeployment } from '../deployment/deployment.ts';
import type { Desired } from '../desired/desired.ts';
import { forgetZone, mapRefs, memberRefs, readDeltas } from '../doors/zones.ts';
import type { Node } from '../nodes/node.ts';
import { apply } from '../runtime/apply.ts';
import { applyPlan, type Reading } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import { keyOf } from '../table/keys.ts';
import { plusMs } from '../units.ts';
import { type LoadedZone, loadMap, loadMembers } from '../zones/loaded.ts';
import { plan } from '../zones/plan.ts';
import { rosterSize, standingAt } from '../zones/roster.ts';
import { pagesEveryMs, slotsMin, versionsPerPage } from '../zones/slots.ts';
import type { ZoneSnapshot } from '../zones/snapshot.ts';
import { admitted } from '../zones/standing.ts';
import { pageChanges } from '../zones/stored.ts';
import { type Counts, countAt, type MapPage, type Members, type ZoneHead } from '../zones/zone.ts';

/** Plans a zone for its due nodes and carries the plan out; then what the plan leaves to the sweep: the head's own tick, pages, the count of admitted nodes. */
export async function planZoneNow(shell: Shell, zone: string, nodes: readonly string[]): Promise<void> {
  const id = `plan-${shell.newId()}`;
  const before = shell.now();
  const done = await applyPlan(shell, { id }, (reading) => planOnce(shell, reading, zone, nodes));
  if (done.because.length > 0)
    shell.log('info', 'plan.applied', { zone, rows: done.changes.length, because: done.because.join('; '), ms: shell.now() - before });
  forgetZone(shell, zone);
  const head = await settleHead(shell, zone);
  if (head) await noteAdmitted(shell, head);
}

/** A plan may first have to see the desired states of nodes that lose slots; it is made again with them. */
async function planOnce(shell: Shell, reading: Reading, zone: string, nodes: readonly string[]): Promise<Plan> {
  const wanted = new Set<string>();
  for (;;) {
    const snapshot = await readSnapshot(shell, reading, zone, nodes, [...wanted]);
    if (!snapshot) return { changes: [], because: [] };
    const planned = plan(snapshot, shell.now());
    if (planned.needs.length === 0) return planned;
    for (const node of planned.needs) wanted.add(node);
  }
}

/** Everything a plan is computed from, each row read once and remembered with its revision. */
async function readSnapshot(
  shell: Shell,
  reading: Reading,
  name: string,
  nodes: readonly string[],
  desired: readonly string[],
): Promise<ZoneSnapshot | undefined> {
  const [headRow, countsRow] = await reading.rows([
    { noun: 'zone', id: name },
    { noun: 'counts', id: name },
  ]);
  const head = stateOf<ZoneHead>(headRow, shell.now());
  if (!head) return undefined;
  const memberRows = await reading.rows(memberRefs({ ...head, roster: roomForNew(head, nodes.length) }));
  const mapRows = await reading.rows(mapRefs(head));
  const nodeRows = await reading.rows(nodes.map((id) => ({ noun: 'node', id })));
  const desiredRows = await reading.rows(desired.map((id) => ({ noun: 'desired', id })));
  const pages = mapRows.flatMap((row) => (row ? [row.body as MapPage] : []));
  const deltas = head.slots === slotsMin ? [] : await readDeltas(shell, name, Math.min(...pages.map((page) => page.version)));
  const counts = (countsRow?.body as Counts | undefined)?.perSlot ?? new Uint8Array(head.slots * 2);
  const zone: LoadedZone = {
    head,
    map: loadMap(
      head.slots,
      pages.map((page) => page.cells),
      deltas.filter((delta) => delta.version <= head.mapVersion).map((delta) => delta.moves),
    ),
    members: loadMembers(memberRows.map((row) => (row?.body as Members | undefined) ?? { members: [] })),
    revokedAt: new Map(),
    tokensBefore: 0,
    revokedVersion: 0,
  };
  return {
    zone,
    headRev: headRow!.rev,
    headWakeAt: headRow!.wakeAt,
    mapRev: mapRows[0]?.rev ?? 0,
    memberRevs: memberRows.map((row) => row?.rev ?? 0),
    counts: Array.from({ length: head.slots }, (_, slot) => countAt(counts, slot)),
    nodes: nodeRows.flatMap((row) => {
      const body = stateOf<Node>(row, shell.now());
      return body ? [{ body, rev: row!.rev, because: row!.because }] : [];
    }),
    desired: new Map(
      desired.map((id, i) => [
        id,
        { body: (desiredRows[i]?.body as Desired | undefined) ?? { release: [] }, rev: desiredRows[i]?.rev ?? 0 },
      ]),
    ),
  };
}

/** A roster as long as the new nodes could make it, so that the member page they would begin is read too. */
const roomForNew = (head: ZoneHead, nodes: number): Uint8Array => new Uint8Array((rosterSize(head.roster) + nodes) * 3);

/** The head's own time: pages are written when it is theirs; a share not yet whole keeps the head due. */
async function settleHead(shell: Shell, name: string): Promise<ZoneHead | undefined> {
  const ref = { noun: 'zone', id: name };
  const row = await shell.table.read(keyOf(ref));
  const read = stateOf<ZoneHead>(row, shell.now());
  if (!read) return undefined;
  const behind = read.slots > slotsMin && (await writePages(shell, read));
  if (row?.wakeAt === undefined || row.wakeAt > shell.now()) return read;
  await apply<ZoneHead, { type: 'tick'; id: string }>(shell, ref, { type: 'tick', id: `tick-${shell.newId()}` }, (head, _tick, now) =>
    nothing('the head rests', head && head.settling.length > 0 ? now : behind ? plusMs(now, pagesEveryMs) : undefined),
  );
  return read;
}

/** Every 64th version, and when they are older than 6 h, the map's pages are written, outside the commit that moved it; whether they lag still. */
async function writePages(shell: Shell, head: ZoneHead): Promise<boolean> {
  const rows = await shell.table.readMany(mapRefs(head).map(keyOf));
  const oldest = Math.min(...rows.map((row) => (row?.body as MapPage | undefined)?.version ?? 0));
  const writtenAt = Math.min(...rows.map((row) => row?.at ?? 0));
  if (head.mapVersion - oldest < versionsPerPage && shell.now() - writtenAt < pagesEveryMs) return head.mapVersion > oldest;
  if (head.mapVersion === oldest) return false;
  await applyPlan(shell, { id: `pages-${shell.newId()}` }, async (reading) => {
    const snapshot = await readSnapshot(shell, reading, head.name, [], []);
    const pageRows = await reading.rows(mapRefs(head));
    return {
      changes: snapshot
        ? pageChanges(
            snapshot,
            pageRows.map((row) => row?.rev ?? 0),
          )
        : [],
      because: ['pages'],
    };
  });
  return false;
}

/** Admitted nodes set the heartbeat interval of the whole deployment: all that have joined and were not given up. */
async function noteAdmitted(shell: Shell, head: ZoneHead): Promise<void> {
  let nodes = 0;
  for (let index = 0; index < rosterSize(head.roster); index++) if (admitted(standingAt(head.roster, index))) nodes++;
  const command = { type: 'admitted', id: shell.newId(), zone: head.name, nodes } as const;
  await apply<Deployment, typeof command>(shell, { noun: 'deployment', id: 'deployment' }, command, decideDeployment);
}

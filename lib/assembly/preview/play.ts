import { dayMs, type EpochMs, earlier, plusMs } from '../../core/time.ts';
import { intervalNow } from '../../deployment/reads.ts';
import { sweepRef } from '../../deployment/rows/sweep.ts';
import { desiredRef } from '../../nodes/desired/desired.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import type { Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { zoneNow } from '../../zones/reads/zones.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import { type ZoneHead, zoneRef } from '../../zones/zone.ts';
import { applyReport } from '../reports.ts';
import { begin, type DueNodes, planAll, tickNode, withDue } from '../sweep-nodes.ts';
import type { Copy } from './copy.ts';

/** The zone after one round of the sweep, its head's row, and the rows of its nodes. */
export type Round = { readonly at: EpochMs; readonly zone: LoadedZone; readonly head: Row<ZoneHead>; readonly nodes: readonly Row<Node>[] };

/** How the sweep is played: the nodes of the zone by id, those whose agents are silent, and when it has seen enough. */
export type Play = {
  readonly zone: string;
  readonly nodes: readonly string[];
  readonly silent: ReadonlySet<string>;
  /** Receives each round; true ends the play. */
  readonly watch: (round: Round) => Promise<boolean>;
};

/** How long is played at most, in virtual time: client systems are retained for a lost node for a day at most. */
const playedMs = 2 * dayMs;
/**
 * How many rounds in a row may change nothing. Guard-rails that hold nodes look at the zone four times a lease, for up
 * to 15 min: about 95 rounds.
 */
const idleRoundsMax = 130;
/** How many rounds are played at most: a drain of ten hours, at two rounds a minute. */
const roundsMax = 1_200;

/**
 * Plays the sweep of one zone on a copy, in virtual time: at each moment at which something is due, the functions of
 * the sweep decide on its due nodes and plan the zone, and agents confirm what they were ordered to release. Gives
 * whether it came to an end: the watcher had seen enough, or nothing is due any more.
 */
export async function play(copy: Copy, { zone, nodes, silent, watch }: Play): Promise<boolean> {
  const { shell, passTo } = copy;
  const end = plusMs(shell.now(), playedMs);
  const releaseMs = Math.max(await intervalNow(shell), shell.settings.sweepPeriodMs);
  const releases = new Map<string, Releasing & { readonly at: EpochMs }>();
  let [idle, version] = [0, -1];
  passTo(await nextSweepAt(shell));
  for (let rounds = 0; rounds < roundsMax; rounds++) {
    await sweepOnce(shell, zone, nodes);
    const round = await roundNow(shell, zone, nodes);
    if (!round || (await watch(round)) || idle > idleRoundsMax) return true;
    idle = round.zone.head.version === version ? idle + 1 : 0;
    version = round.zone.head.version;
    for (const one of await releasing(shell, round.nodes, silent))
      if (!releases.has(one.node.id)) releases.set(one.node.id, { ...one, at: plusMs(shell.now(), releaseMs) });
    const dueAt = [round.head, ...round.nodes].reduce<EpochMs | undefined>((first, { wakeAt }) => earlier(first, wakeAt), undefined);
    const next = [...releases.values()].reduce((first, { at }) => earlier(first, at), dueAt);
    if (next === undefined || next > end) return next === undefined;
    passTo(sweptAt(shell, next));
    for (const [id, one] of releases)
      if (one.at <= shell.now()) {
        releases.delete(id);
        await release(shell, one);
      }
  }
  return false;
}

/** When the next sweep is due, by when the last one ran: at once if that is unknown, or was too long ago. */
async function nextSweepAt(shell: Shell): Promise<EpochMs> {
  const row = await readRow(shell, sweepRef());
  const [now, next] = [shell.now(), row ? plusMs(row.body.sweptAt, shell.settings.sweepPeriodMs) : 0];
  return next > now ? plusMs(now, next - now) : now;
}

/** When the first sweep comes after a moment: sweeps come one period apart. */
function sweptAt({ now, settings: { sweepPeriodMs } }: Shell, moment: EpochMs): EpochMs {
  return plusMs(now(), Math.max(1, Math.ceil((moment - now()) / sweepPeriodMs)) * sweepPeriodMs);
}

async function roundNow(shell: Shell, name: string, ids: readonly string[]): Promise<Round | undefined> {
  const zone = await zoneNow(shell, name);
  const head = await readRow(shell, zoneRef(name));
  return zone && head && { at: shell.now(), zone, head, nodes: await rowsOf(shell, ids) };
}

const rowsOf = async (shell: Shell, ids: readonly string[]): Promise<Row<Node>[]> =>
  (
    await readRows(
      shell,
      ids.map((id) => nodeRef(id)),
    )
  ).flatMap((row) => (row && stateOf(row, shell.now()) ? [row] : []));

/** The part of a sweep that concerns one zone and its nodes. */
async function sweepOnce(shell: Shell, zone: string, ids: readonly string[]): Promise<void> {
  const now = shell.now();
  const isDue = ({ wakeAt }: { readonly wakeAt?: EpochMs }): boolean => wakeAt !== undefined && wakeAt <= now;
  const refs = (await rowsOf(shell, ids)).filter(isDue).map(({ body }) => nodeRef(body.id));
  await sweptJustBefore(shell);
  const tick = await begin(shell, refs, undefined);
  let due: DueNodes = new Map();
  for (const ref of refs) {
    const node = await tickNode(shell, ref, tick);
    if (node?.zone === zone) due = withDue(due, node);
  }
  const head = await readRow(shell, zoneRef(zone));
  if (due.size > 0 || (head && isDue(head))) await planAll(shell, zone, due, tick);
}

/** The sweeps between two rounds had nothing to do, and are not played: the last of them was a period ago. */
async function sweptJustBefore(shell: Shell): Promise<void> {
  const row = await readRow(shell, sweepRef());
  if (!row) return;
  const { rev, ...content } = row;
  const sweptAt = plusMs(shell.now(), -shell.settings.sweepPeriodMs);
  await shell.table.commit([{ put: { ...content, body: { ...content.body, sweptAt } }, readRev: rev }]);
}

/** A node that was ordered to release slots, and the last map version that it must release. */
type Releasing = { readonly node: Node; readonly mapVersion: number };

async function releasing(shell: Shell, nodes: readonly Row<Node>[], silent: ReadonlySet<string>): Promise<Releasing[]> {
  const heard = nodes.map(({ body }) => body).filter((node) => 'leaseUntil' in node && node.status !== 'suspect' && !silent.has(node.id));
  const desired = await readRows(
    shell,
    heard.map(({ id }) => desiredRef(id)),
  );
  return heard.flatMap((node, n) => {
    const last = stateOf(desired[n], shell.now())?.release.at(-1);
    return last ? [{ node, mapVersion: last.mapVersion }] : [];
  });
}

/** The agent of a node confirms that it has notified the client systems of the slots. */
async function release(shell: Shell, { node, mapVersion }: Releasing): Promise<void> {
  const { id, incarnation } = node;
  const stamps = { id: shell.newId(), node: id, incarnation, receivedAt: shell.now(), intervalMs: await intervalNow(shell) };
  await applyReport({ type: 'node.released', version: 1, ...stamps, data: { mapVersion } }, shell);
}

import type { AdminCall } from '../../access/verify-admin.ts';
import { isEverywhere } from '../../access/zones-of-caller.ts';
import type { RowRef } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { type SweepRow, sweepRef } from '../../deployment/rows/sweep.ts';
import { clusterRef, type StorageCluster } from '../../mero/clusters/cluster.ts';
import { loadRef, type MeroLoad } from '../../mero/loads/load.ts';
import { dueShards, historyPartition, keyOf, tickingRef } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import type { HistoryEntry } from '../../runtime/on-feed.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { viewOf } from '../../stations/handlers/admin.ts';
import { stationsOf } from '../../stations/reads.ts';
import { type SiteOrder, type SiteOrders, siteOrdersRef } from '../../stations/site-orders/site-orders.ts';
import { stationsRef } from '../../stations/stations.ts';
import { standingAt } from '../../zones/map/rows/roster.ts';
import { standingOf } from '../../zones/map/rows/standing.ts';
import { foundZone } from '../../zones/reads/found.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import type { Recovering } from '../../zones/rows/recovering.ts';
import { zoneRef } from '../../zones/zone.ts';
import type { ZoneDebug } from './routes.ts';

const iso = (at: EpochMs | number): string => new Date(at).toISOString();

/** The coordination of a zone: its stations, how late time is delivered, the jobs under way, and the last decisions. */
export async function debugZone({ params, caller }: AdminCall<'debugZone'>, shell: Shell): Promise<Answer> {
  const zone = await foundZone(shell, params.zone, caller);
  const { name } = zone.head;
  const [stations, sweepRow, decisions, jobs] = await Promise.all([
    stationsOf(shell, name),
    readRow(shell, sweepRef()),
    lastDecisions(shell, name),
    jobsOf(shell, zone),
  ]);
  const body: ZoneDebug = {
    zone: name,
    now: iso(shell.now()),
    stations: viewOf(name, stations, shell.now()),
    sweep: sweepOf(shell, sweepRow?.body),
    ...(isEverywhere(caller) && { due: await dueNow(shell) }),
    jobs,
    decisions,
  };
  return { status: 200, body };
}

function sweepOf(shell: Shell, row: SweepRow | undefined): ZoneDebug['sweep'] {
  const everyMs = shell.settings.sweepPeriodMs;
  if (!row) return { everyMs };
  const { sweptAt, graceUntil } = row;
  const lateMs = Math.max(0, shell.now() - sweptAt - everyMs);
  return {
    everyMs,
    sweptAt: iso(sweptAt),
    lateMs,
    ...(graceUntil !== undefined && graceUntil > shell.now() && { graceUntil: iso(graceUntil) }),
  };
}

/** How many due rows of a shard are counted. */
const dueCountedMax = 400;

/**
 * The rows that are due at this moment, by the index alone. On AWS, rows of nodes stay due (lib/runtime/shell.ts), and
 * are no backlog.
 */
async function dueNow(shell: Shell): Promise<NonNullable<ZoneDebug['due']>> {
  const shards = await Promise.all(Array.from({ length: dueShards }, (_, shard) => shell.table.due(shard, shell.now(), dueCountedMax)));
  const byNoun: Record<string, number> = {};
  for (const key of shards.flat()) {
    const noun = tickingRef(key)?.noun ?? 'other';
    byNoun[noun] = (byNoun[noun] ?? 0) + 1;
  }
  return { rows: shards.flat().length, more: shards.some(({ length }) => length === dueCountedMax), byNoun };
}

/** How many conclusions are listed. */
const decisionsMax = 20;

async function lastDecisions(shell: Shell, zone: string): Promise<ZoneDebug['decisions']> {
  const about: readonly RowRef[] = [zoneRef(zone), stationsRef(zone), clusterRef(zone)];
  const pages = await Promise.all(
    about.map(async (ref) => {
      const { items } = await shell.table.query({ pk: historyPartition(ref), descending: true, limit: decisionsMax });
      return items.map((row) => ({ noun: ref.noun, ...(row.body as HistoryEntry) }));
    }),
  );
  return pages
    .flat()
    .sort((a, b) => b.at - a.at)
    .slice(0, decisionsMax)
    .map(({ noun, at, type, because, who }) => ({ at: iso(at), type, about: noun, because, ...(who !== undefined && { who }) }));
}

/** Standings of nodes that are on their way somewhere. */
const underWay: Readonly<Partial<Record<ReturnType<typeof standingOf>, string>>> = {
  joining: 'joins',
  suspect: 'is silent, and held',
  draining: 'leaves: its client systems move',
  held: 'is away on purpose',
  quarantined: 'is quarantined',
};

/** The jobs under way in a zone, from its head, the rows of its cluster and the orders on its site. */
async function jobsOf(shell: Shell, { head, members }: LoadedZone): Promise<ZoneDebug['jobs']> {
  const refs = [clusterRef(head.name), loadRef(head.name), siteOrdersRef(head.name)];
  const [clusterRow, loadRow, ordersRow] = await shell.table.readMany(refs.map(keyOf));
  const cluster = stateOf<StorageCluster>(clusterRow, shell.now());
  const load = stateOf<MeroLoad>(loadRow, shell.now());
  const nodes = members.flatMap((member, index) => {
    const says = underWay[standingOf(standingAt(head.roster, index))];
    return member && says !== undefined ? [{ job: `node ${member.fqdn}`, says }] : [];
  });
  return [
    ...(cluster?.underWaySince === undefined
      ? []
      : [
          {
            job: 'levels',
            says: `${cluster.disposition}, at level ${cluster.level}: ${clusterRow!.because}`,
            since: iso(cluster.underWaySince),
          },
        ]),
    ...(load ? [{ job: `load ${load.load}`, says: load.ending ? 'is checked as a whole' : 'is handed in', since: iso(load.begunAt) }] : []),
    ...(head.recovering ?? []).map(recoveryJob),
    ...(stateOf<SiteOrders>(ordersRow, shell.now())?.waiting ?? []).map(orderJob),
    ...nodes,
  ];
}

function recoveryJob({ fqdn, since, clients, placedAt, until }: Recovering): ZoneDebug['jobs'][number] {
  const about = `about ${clients} client systems`;
  const lastTurn = until === undefined ? '' : `, the last at ${iso(until)}`;
  const says =
    placedAt === undefined ? `${about}, whose slots do not all have a node yet` : `${about} are assigned their node in turn${lastTurn}`;
  return { job: `recovery of ${fqdn}`, says, since: iso(since) };
}

const orderJob = ({ n, host, epoch, at, dryRun }: SiteOrder): ZoneDebug['jobs'][number] => ({
  job: `order ${n}`,
  says: `${host} is power-cycled${dryRun ? ', as a dry run' : ''}, under epoch ${epoch}`,
  since: iso(at),
});

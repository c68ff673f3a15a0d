import { wiring } from '../../../infra/wiring.ts';
import { type Front, type Line, linesOf, ran, used } from './lines.ts';
import { type Rhythm, rhythmOf, type Size } from './rhythm.ts';
import { type Operation, units } from './units.ts';
import { overheads, standing, usual } from './usual.ts';

/** A way to do the same work, and all that is paid for in a month of it. */
export type Design = { readonly name: string; readonly deadKnownInS: number; readonly lines: readonly Line[] };

/** The question: the size, the time within which a dead client system is known, and whether the edge is on. */
export type Asked = Size & { readonly deadKnownInS: number; readonly edge: boolean };

const { hours, bootsPerNode, lossesPerNode, startsPerClient, newClients, looksPerNode, changesPerNode, listsPerNode } = usual;
const monthS = hours * 3600;

/**
 * The designs that a bill sets side by side: as deployed; with heartbeats of nodes decided by the endpoint that takes
 * them (`-c heartbeats=direct`), instead of a consumer of their queue; with that and function URLs
 * (`-c functionUrls=on`), by which these heartbeats and status checks of client systems come instead of the API; and a
 * row for each heartbeat of a client system.
 */
export const designsOf = (asked: Asked): readonly Design[] => {
  const { deadKnownInS } = rhythmOf(asked);
  const by = (name: string, heartbeats: Front['heartbeats'], direct: readonly Operation[] = []): Design => ({
    name,
    deadKnownInS,
    lines: deployed(asked, { edge: asked.edge, heartbeats, byUrl: new Set(direct) }),
  });
  return [
    by('as deployed', 'queue'),
    by('direct', 'direct'),
    by('function URLs', 'direct', byUrl),
    { name: 'naive', deadKnownInS: asked.deadKnownInS, lines: naive(asked) },
  ];
};

/** The operations that come by a function URL, where there is one. */
const byUrl: readonly Operation[] = ['heartbeatDirect', 'heartbeatWithDigestDirect', 'statusByToken', 'renewal'];
/** The operations of a heartbeat, and of one with a digest, by where it is decided. */
const heartbeatOperations = {
  queue: ['heartbeat', 'heartbeatWithDigest'],
  direct: ['heartbeatDirect', 'heartbeatWithDigestDirect'],
} as const;

function deployed(asked: Asked, front: Front): Line[] {
  const rhythm = rhythmOf(asked);
  return [...ofNodes(asked, rhythm, front), ...ofClients(asked, rhythm, front), ...ofIndex(asked, rhythm), ...idle(asked, rhythm, front)];
}

/** Heartbeats and digests, ticks, boots and losses, lists, and the calls of operators. */
function ofNodes({ clients, nodes }: Asked, rhythm: Rhythm, front: Front): Line[] {
  const { heartbeats, digests, clientsPerNode } = rhythm;
  const digestMore = { writes: atLeast(units.sizes.digestWrites, 'clients', clientsPerNode).writes - 1 };
  const losses = nodes * lossesPerNode;
  // Each loss moves slots twice, away and back, and every node of the zone then reads its list anew.
  const lists = nodes * (2 * losses + listsPerNode);
  const { listPerThousand, mapPageWrites } = units.sizes;
  const [plain, withDigest] = heartbeatOperations[front.heartbeats];
  return [
    ...linesOf('heartbeats', plain, heartbeats - digests, front),
    ...linesOf('heartbeats with a digest', withDigest, digests, front),
    ...used('heartbeats with a digest', digestMore, digests),
    ...linesOf('leases looked after', 'glance', rhythm.glances, front),
    ...linesOf('leases looked after', 'tick', rhythm.ticks, front),
    ...linesOf('nodes that boot or are lost', 'boot', nodes * bootsPerNode, front),
    ...linesOf('nodes that boot or are lost', 'loss', losses, front),
    ...linesOf('nodes that boot or are lost', 'restart', losses * clientsPerNode, front),
    ...linesOf('nodes that boot or are lost', 'place', losses * clientsPerNode, front),
    ...linesOf('nodes that boot or are lost', 'confirm', losses * clientsPerNode, front),
    ...used(
      'nodes that boot or are lost',
      { writes: mapPageWrites * rhythm.mapPages },
      Math.min(2 * losses, (2 * losses) / 64 + monthS / (6 * 3600)),
    ),
    ...linesOf('lists of client systems', 'list', lists, front),
    ...used('lists of client systems', { reads: listPerThousand.reads }, (lists * clientsPerNode) / 1_000),
    ...used('lists of client systems', { writes: listPerThousand.writes }, (2 * losses * clientsPerNode) / 1_000),
    ...linesOf('people and automation', 'look', nodes * looksPerNode, front),
    ...linesOf('people and automation', 'change', nodes * changesPerNode, front),
    { of: 'storage', meter: 'table-gb', quantity: stored(clients, nodes) },
    { of: 'storage', meter: 'backup-gb', quantity: stored(clients, nodes) },
  ];
}

/** Status checks, tokens renewed, starts, and new client systems. */
function ofClients({ clients }: Asked, { statuses, renewals, heartbeats }: Rhythm, front: Front): Line[] {
  const added = clients * newClients;
  const refresh = { reads: units.operations.refresh['knock']!.reads ?? 0 };
  return [
    ...linesOf('status checks', 'statusByToken', Math.max(0, statuses - renewals), front),
    ...linesOf('tokens renewed', 'renewal', renewals, front),
    ...linesOf('client systems that start', 'restart', clients * startsPerClient, front),
    ...(['firstKnock', 'accept', 'knockAccepted', 'place', 'confirm'] as const).flatMap((step) =>
      linesOf('client systems that are new', step, added, front),
    ),
    ...linesOf('client systems in the journal', 'silent', silentBatches(changes(clients, renewals)), front),
    ...used('zones read anew', refresh, refreshes(statuses, statusMs) + refreshes(heartbeats, heartbeatMs)),
    // Functions with URLs of their own read zones and settings for themselves, as those behind the API still do.
    ...(front.byUrl.size > 0 ? used('zones read anew', refresh, 2 * refreshes(clients * startsPerClient, heartbeatMs)) : []),
  ];
}

/**
 * The index of searches, which is stored every ten minutes where there are client systems. The row of each one that
 * changed is read once more.
 */
function ofIndex({ clients }: Asked, { renewals }: Rhythm): Line[] {
  const of = 'index of searches';
  const runs = monthS / wiring.functions['store-index']!.everySeconds!.aws;
  const changed = changes(clients, renewals);
  return [
    ...linesOf('there at rest', 'storeIndex', runs, inside),
    ...used(of, { reads: 1 }, changed),
    ...ran(of, 'store-index', { waits: 1 / rowsAtOnce }, { times: changed, cpuMs: overheads.changedCpuMs }),
    { of, meter: 'object-writes', quantity: clients > 0 ? runs * overheads.storeRequests : 0 },
    { of, meter: 'object-gb', quantity: (clients * overheads.indexBytes) / 2 ** 30 },
  ];
}

/** Rows that are read together. */
const rowsAtOnce = 100;
/** Commits of client systems without an event. */
const changes = (clients: number, renewals: number): number => renewals + clients * (startsPerClient + 2 * newClients);
/** What nobody calls. */
const inside: Front = { edge: false, heartbeats: 'queue', byUrl: new Set() };

/**
 * How often so many commits of client systems without events are handed over: together, as many as come in a window on
 * each shard of the table's stream.
 */
const silentBatches = (commits: number): number => Math.min(commits, (overheads.streamShards * monthS) / overheads.silentWindowS);

/** About how long a status check and a heartbeat keep an environment busy. */
const [statusMs, heartbeatMs] = [2, 20];

/**
 * How often environments that serve so many calls read zone and settings anew: one each time they have grown too old,
 * and a call comes.
 */
const refreshes = (calls: number, busyMs: number): number => {
  const atOnce = (overheads.environments * calls * busyMs) / 1_000 / monthS;
  return Math.min(calls, (monthS / overheads.refreshS) * (1 + atOnce));
};

/** The cost of a deployment without calls. */
function idle({ clients, edge }: Asked, { sweeps, sweepPeriodS, counts, slots }: Rhythm, { byUrl: direct }: Front): Line[] {
  const of = 'there at rest';
  const perMinute = 60 / sweepPeriodS;
  const queues = Object.values(wiring.functions).filter(({ queue }) => queue).length;
  return [
    ...linesOf(of, 'sweep', sweeps, inside),
    // Of each minute's sweeps the first is started by the rule, and sends the others.
    ...used(of, { sends: 1 }, (sweeps * (perMinute - 1)) / perMinute),
    { of, meter: 'sqs-requests', quantity: (queues * overheads.pollers * monthS) / overheads.pollS },
    ...counting(clients, counts, slots),
    { of, meter: 'alarm-metrics', quantity: standing.alarmMetrics + (direct.size > 0 ? standing.urlAlarmMetrics : 0) },
    { of, meter: 'dashboards', quantity: standing.dashboards },
    { of, meter: 'keys', quantity: standing.keys },
    { of, meter: 'secrets', quantity: standing.secrets + (edge ? standing.edgeSecrets : 0) },
    ...(edge
      ? ([
          { of, meter: 'filter-lists', quantity: 1 },
          { of, meter: 'filter-rules', quantity: standing.edgeRules },
        ] as const)
      : []),
  ];
}

/** Zones are counted at rest, too; the share that client systems add to a count is theirs. */
function counting(clients: number, counts: number, slots: number): Line[] {
  const steps = clients > 20_000 ? 8 : 1;
  const { usage } = atLeast(units.sizes.countSteps, 'slots', slots);
  // A count in one step asks all 64 partitions, one in eight steps eight each time.
  const more = steps === 1 ? 64 - 8 : 0;
  return [
    ...used('there at rest', { ...usage, reads: (usage.reads ?? 0) + more / 2 }, counts * steps),
    ...ran('there at rest', 'sweep', { waits: (usage.waits ?? 0) + more }, { times: counts * steps, cpuMs: 0 }),
    ...used('client systems counted', { reads: units.sizes.countReadsPerThousand }, (counts * clients) / 1_000),
  ];
}

/**
 * Every client system writes a row three times within the time in which its death must be known, through the API: a
 * write, and an eventually consistent read of its status, in 10 ms of 128 MiB. Log lines, alarms and everything else
 * that it would need are left out.
 */
function naive({ clients, deadKnownInS }: Asked): Line[] {
  const signs = (clients * monthS) / (deadKnownInS / 3);
  const of = 'heartbeats of client systems';
  return [
    { of, meter: 'api-requests', quantity: signs },
    { of, meter: 'lambda-requests', quantity: signs },
    { of, meter: 'lambda-gb-seconds', quantity: signs * 0.01 * 0.125 },
    { of, meter: 'write-units', quantity: signs },
    { of, meter: 'read-units', quantity: signs / 2 },
    { of, meter: 'out-gb', quantity: (signs * overheads.answerBytes) / 2 ** 30 },
  ];
}

const stored = (clients: number, nodes: number): number =>
  (clients * units.sizes.bytesPerClient + nodes * units.sizes.bytesPerNode) / 2 ** 30;

/** The first of a growing list that is at least so large; its last when none is. */
const atLeast = <K extends string, T extends Readonly<Record<K, number>>>(list: readonly T[], by: K, size: number): T =>
  list.find((one) => one[by] >= size) ?? list.at(-1)!;

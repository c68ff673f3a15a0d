import type { Report } from '../../events/catalogue.ts';
import type { NodeHeartbeat } from '../../events/reported/node.ts';
import { Refusal } from '../api/problem.ts';
import { reportAction, systemsOfAction, takeAction } from '../clients/actions/handlers/node.ts';
import { reportHistory, reportMetadata, systemMetadata } from '../clients/metadata/handlers/node.ts';
import { askAboutKeys, revokedHandler, systemHandler, systemsHandler } from '../clients/systems/handlers.ts';
import type { SystemsHead } from '../clients/systems/rows/list.ts';
import { contentNodeHandlers } from '../content/revisions/handlers/node.ts';
import { Later } from '../core/errors.ts';
import { jittered } from '../core/lease.ts';
import { intervalNow } from '../deployment/reads.ts';
import type { nodeRoutes } from '../node-contract.ts';
import { askAgainMs as pooledAgainMs } from '../nodes/admission/rows/pooled-host.ts';
import { desired, processConfiguration } from '../nodes/desired/handlers.ts';
import { clusterKeys, desiredRevision, loadIn } from '../nodes/desired/reads.ts';
import { refuseDeadline } from '../nodes/handlers/deadline.ts';
import { join } from '../nodes/handlers/join.ts';
import { rotate } from '../nodes/handlers/rotate.ts';
import { refuseVouched } from '../nodes/handlers/vouched.ts';
import { mayAdapt, type Node, nodeRef } from '../nodes/node.ts';
import { isMadeAgain, isOutOfSync } from '../nodes/on-heartbeat.ts';
import { isSecondMachine } from '../nodes/on-up.ts';
import { quarantineEnds } from '../nodes/rows/flap.ts';
import { fqdnRef } from '../nodes/rows/name.ts';
import { refuseStranger } from '../nodes/verify-life.ts';
import { mustRejoin } from '../nodes/verify-member.ts';
import { type NodeCaller, nodeOf, refuseFormerKey, refuseRemoved } from '../nodes/verify-node.ts';
import { keyOf } from '../ports/table/keys.ts';
import type { Row } from '../ports/table/table.ts';
import type { Answer, Call, Handlers } from '../runtime/on-route.ts';
import { read, readRow } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';
import { findServices } from '../services/handlers/find.ts';
import { answerQuestion } from '../services/handlers/questions.ts';
import { hearStation } from '../stations/changes.ts';
import { isStationOf, stationRevision } from '../stations/reads.ts';
import { rightOf, stationHeartbeatMs } from '../stations/rows/quorum.ts';
import { stationHeartbeatMaxMs } from '../stations/stations.ts';
import { reportAdoption } from '../uyuni/adoption/handlers/report.ts';
import { presentTicket, reportEntry } from '../uyuni/enter/handlers/present.ts';
import { reportChanges } from '../uyuni/handlers/changes.ts';
import { zoneOf } from '../zones/reads/zones.ts';
import { carriedBy } from './carried-by.ts';
import { applyReport, type RowsRead } from './reports.ts';

type Routes = typeof nodeRoutes;

/** How soon an agent that waits for its acknowledgement should send node-up again, in ms, at the latest. */
const askAgainMs = 2_000;

/** The handlers of the agent protocol: answers come from the row, reports go through the queue to `decide`. */
export const nodeHandlers: Handlers<Routes, NodeCaller> = {
  join,
  up,
  heartbeat,
  events,
  leaving,
  rotate,
  desired,
  processConfiguration,
  services: findServices,
  askQuestion: answerQuestion,
  systems: systemsHandler,
  system: systemHandler,
  askAboutKeys,
  revoked: revokedHandler,
  systemMetadata,
  reportMetadata,
  reportHistory,
  reportChanges,
  reportAdoption,
  takeAction,
  systemsOfAction,
  reportAction,
  presentTicket,
  reportEntry,
  ...contentNodeHandlers,
};

/** Refuses a node that was given up and whose name another node has taken since, unless that node is gone. */
async function refuseReplaced(shell: Shell, { id, fqdn }: Node): Promise<void> {
  const holder = (await readRow(shell, fqdnRef(fqdn)))?.body;
  if (!holder || holder.node === id) return;
  const other = await read(shell, nodeRef(holder.node));
  if (other) throw new Refusal('removed', `${fqdn} is the name of node ${holder.node} now; join under another name`);
}

async function up({ params, body, caller }: Call<Routes['up'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  const intervalMs = await intervalNow(shell);
  refuseVouched(node, intervalMs);
  if (node.status === 'dropped' && body.flushed !== node.generation) throw mustRejoin(node);
  if (node.status === 'dropped') await refuseReplaced(shell, node);
  const acknowledged = node.boot?.id === body.boot.id && node.status !== 'down' && node.status !== 'suspect' && node.status !== 'dropped';
  if (acknowledged)
    return {
      status: 200,
      body: {
        acknowledged: true,
        incarnation: node.incarnation,
        generation: node.generation,
        nextMs: jittered(intervalMs, shell.random()),
      },
    };
  const again = { status: 202, body: { acknowledged: false, nextMs: Math.min(askAgainMs, intervalMs) } };
  const waits = node.status === 'dropped' && node.readmission === 'asked';
  if (node.status !== 'dropped' && node.boot?.before === body.boot.id && wasOvertaken(node, caller)) return again;
  const { id, boot, facts, flushed, table } = body;
  // One moment for both: the answer must not know of a second machine that the report does not show.
  const receivedAt = shell.now();
  await report(shell, {
    type: 'node.up',
    version: 1,
    id,
    node: params.id,
    receivedAt,
    intervalMs,
    data: { boot, facts, ...(flushed !== undefined && { flushed }), ...(table && { table }) },
  });
  // The report was sent first: it informs the node's row of the other machine.
  if (node.status !== 'dropped' && isSecondMachine(node, body.boot.id, receivedAt))
    throw new Refusal(
      'key-cloned',
      'another machine uses this key: it was copied. Give one of the two a folder of its own, and have an operator check both',
    );
  // The node-up is reported all the same: its zone may readmit nodes by itself in the meantime.
  return waits ? { status: 202, body: { acknowledged: false, waits: 'readmission', nextMs: pooledAgainMs } } : again;
}

/**
 * Whether a call was signed before the present boot reported. Such a call was on its way while its machine restarted,
 * and is no sign of a second machine. If one of two machines has a slow clock, it is found out later by as much, and no
 * later: it calls again and again.
 */
const wasOvertaken = ({ boot }: Node, { signedBy }: NodeCaller): boolean => boot !== undefined && signedBy <= boot.receivedAt;

async function heartbeat({ params, body, caller }: Call<Routes['heartbeat'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  const intervalMs = await intervalNow(shell);
  refuseVouched(node, intervalMs);
  const rows = await rowsBeside(shell, node, { caller, withDigest: body.digest !== undefined });
  refuseStranger(node, body.incarnation);
  const { id, incarnation, seq, load, tableHash, digest, hears, bearing } = body;
  const data = { load, ...(tableHash !== undefined && { tableHash }), ...(digest && { digest }), ...(bearing && { bearing }) };
  const heartbeatReport = {
    ...({ type: 'node.heartbeat', version: 1 } as const),
    id,
    node: params.id,
    incarnation,
    seq,
    receivedAt: shell.now(),
    intervalMs,
    data,
  } as const;
  // A heartbeat that was heard before is answered, but changes nothing: a captured one cannot bring an older digest
  // back.
  const heard =
    seq > node.seq ? await decideOrSend(shell, heartbeatReport, { node: caller.row, digest: rows.digest }) : await asItIs(shell, caller);
  // The row was read as it was a moment ago. A node that has since gone down, was removed, has another key or has
  // started anew learns so at once.
  if (heard) refuseNow(shell, heard, caller, { incarnation, intervalMs });
  const now = heard ?? node;
  if (now.status === 'quarantined')
    throw new Refusal('quarantined', `quarantined: ${now.reason}; until ${quarantineEnds(now)}`, {
      headers: { 'retry-after': String(Math.ceil(intervalMs / 1000)) },
    });
  const zone = await zoneOf(shell, node.zone);
  const isStation = isStationOf(zone?.head, node);
  // A heartbeat that was heard before renews nothing: a captured call may be made again, and its node's row may have
  // been read in its earlier state.
  const isAnew = seq > node.seq && !(heard && isMadeAgain(heard, heartbeatReport));
  const heartbeat = { id, at: heartbeatReport.receivedAt, hears, heartbeat: { incarnation, seq } };
  const stations = isStation && isAnew ? await hearStation(shell, node, heartbeat) : undefined;
  const station = stations && rightOf(stations, node.id, heartbeatReport.receivedAt);
  const stationMs = stations ? stationHeartbeatMs(stations, shell.now()) : stationHeartbeatMaxMs;
  const systems = rows.systems?.body as SystemsHead | undefined;
  const revoked = zone?.revokedVersion ?? 0;
  return {
    status: 200,
    body: {
      nextMs: jittered(isStation ? Math.min(intervalMs, stationMs) : intervalMs, shell.random()),
      desired: desiredRevision(rows.desired, rows.cluster) + stationRevision(zone?.head, node),
      resync: isOutOfSync(node, tableHash, loadIn(rows.cluster)),
      listStale: digest !== undefined && isStale(digest.listVersion, systems, revoked),
      mapVersion: zone?.head.mapVersion ?? 0,
      generation: node.generation,
      ...(revoked > 0 && { revoked }),
      ...(station && { station }),
      ...(zone?.head.admission && mayAdapt(node, shell.settings.admitEveryMs) && { bearing: true as const }),
    },
  };
}

type OfIncarnation = { readonly incarnation: number };

/** Refuses a heartbeat by its node's row as it is by now. Throws a {@link Refusal}. */
function refuseNow(
  shell: Shell,
  heard: Node,
  caller: NodeCaller,
  { incarnation, intervalMs }: Pick<NodeHeartbeat, 'intervalMs'> & OfIncarnation,
): void {
  refuseFormerKey(shell, heard, caller);
  refuseRemoved(heard);
  refuseVouched(heard, intervalMs);
  refuseStranger(heard, incarnation);
}

/**
 * The node of a call that changes nothing, when its row was read as it was a moment ago: no commit confirms that it is
 * still so.
 */
const asItIs = async (shell: Shell, { node, beside }: NodeCaller): Promise<Node | undefined> =>
  beside && (await read(shell, nodeRef(node!.id)));

/**
 * The rows beside its node's that answer a heartbeat; `digest` when the heartbeat brings one and is decided on at once.
 */
type Beside = {
  readonly desired: Row | undefined;
  readonly cluster?: Row | undefined;
  readonly systems?: Row | undefined;
  readonly digest?: Row | undefined;
};

/**
 * Those rows. When the handler decides at once, they are read as they were a moment ago: the next heartbeat brings any
 * change since then.
 */
async function rowsBeside(
  { table }: Shell,
  node: Node,
  { caller, withDigest }: { readonly caller: NodeCaller; readonly withDigest: boolean },
): Promise<Beside> {
  const key = (noun: string) => keyOf({ noun, id: node.id });
  const [ofCluster, ofList] = [clusterKeys(node), withDigest ? [key('systems')] : []];
  if (!caller.beside) {
    const [desired, ...rows] = await table.readMany([key('desired'), ...ofCluster, ...ofList]);
    return { desired, cluster: rows[ofCluster.length - 1], systems: rows[ofCluster.length] };
  }
  if (!withDigest && ofCluster.length === 0) return caller.beside;
  const rows = await table.readMany([...ofCluster, ...ofList, ...(withDigest ? [key('digest')] : [])], 'lately');
  const [systems, digest] = rows.slice(ofCluster.length);
  return { ...caller.beside, cluster: rows[ofCluster.length - 1], systems, digest };
}

/**
 * When the shell says so, a heartbeat is decided here, by the rows that were read to verify and to answer it: one write
 * each, and no message. On a transient failure it goes through the queue, as all heartbeats do elsewhere; the queue
 * tries again for as long as the heartbeat is worth anything. Gives the node as it is then, wherever it was read as it
 * was a moment ago.
 */
async function decideOrSend(shell: Shell, heartbeatReport: NodeHeartbeat, rows: RowsRead): Promise<Node | undefined> {
  if (!shell.settings.hearsAtOnce) {
    await report(shell, heartbeatReport);
    return undefined;
  }
  shell.log('debug', 'heartbeat.taken', { id: heartbeatReport.id, row: `node ${heartbeatReport.node}` });
  try {
    return await applyReport(heartbeatReport, shell, rows);
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'report.later', { id: heartbeatReport.id, reason: error.code, detail: error.message });
    await report(shell, heartbeatReport);
    return await read(shell, nodeRef(heartbeatReport.node));
  }
}

/**
 * Whether a list is not the newest, or is older than the ban of a client system that may be on it. Digests of the list
 * before still count. But a node that continues with that list may have a banned client system on it: its newest list
 * may have gone to a copy of the machine, or its answer was lost.
 */
const isStale = (held: number, systems: SystemsHead | undefined, revokedVersion: number): boolean =>
  systems === undefined ? held !== 0 : held !== systems.newest.version || systems.revokedVersion < revokedVersion;

async function events({ params, body, caller }: Call<Routes['events'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  for (const [i, { node: about }] of body.entries())
    if (about !== undefined && about !== node.id)
      throw new Refusal('not-owner', `${node.id} does not speak for ${about}`, {
        errors: [{ pointer: `/${i}/node`, detail: 'another node' }],
      });
  for (const event of body) refuseStranger(node, event.incarnation);
  const intervalMs = await intervalNow(shell);
  const receivedAt = shell.now();
  await Promise.all(
    body.map(({ at: _theirs, ...event }) => report(shell, { ...event, node: params.id, receivedAt, intervalMs } as Report)),
  );
  return { status: 202, body: { accepted: body.length } };
}

async function leaving({ params, body, caller }: Call<Routes['leaving'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  refuseStranger(node, body.incarnation);
  const { id, incarnation, mode, untilMs } = body;
  refuseDeadline(untilMs, shell.now(), '/untilMs');
  const data = { mode, ...(untilMs !== undefined && { until: untilMs }) };
  await report(shell, {
    type: 'node.leaving',
    version: 1,
    id,
    node: params.id,
    incarnation,
    receivedAt: shell.now(),
    intervalMs: await intervalNow(shell),
    data,
  });
  return { status: 202, body: { accepted: 1 } };
}

/** Sends a report to the queue that carries its type; resolves once it is durable. */
const report = (shell: Shell, one: Report): Promise<void> => shell.queue.send(carriedBy(one), JSON.stringify(one));

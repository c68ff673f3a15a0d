import type { Report } from '../../events/catalogue.ts';
import type { NodeHeartbeat } from '../../events/reported/node.ts';
import { Refusal } from '../api/problem.ts';
import { reportHistory, reportMetadata, systemMetadata } from '../clients/metadata/handlers/node.ts';
import { revokedHandler, systemHandler, systemsHandler } from '../clients/systems/handlers.ts';
import type { SystemsHead } from '../clients/systems/rows/list.ts';
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
import { type Node, nodeRef } from '../nodes/node.ts';
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
import { rightOf, stationBeatMs } from '../stations/rows/quorum.ts';
import { stationBeatMaxMs } from '../stations/stations.ts';
import { zoneOf } from '../zones/reads/zones.ts';
import { carriedBy } from './carried-by.ts';
import { applyReport, type RowsRead } from './reports.ts';

type Routes = typeof nodeRoutes;

/** How soon an agent that waits for its acknowledgement should say so again, at the latest. */
const askAgainMs = 2_000;

/** The doors of the agent protocol: answers come from the row, reports go through the queue to `decide`. */
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
  revoked: revokedHandler,
  systemMetadata,
  reportMetadata,
  reportHistory,
};

/**
 * A node whose name another has taken over since it was given up cannot come back under it, unless that one is gone.
 */
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
  await report(shell, {
    type: 'node.up',
    version: 1,
    id,
    node: params.id,
    receivedAt: shell.now(),
    intervalMs,
    data: { boot, facts, ...(flushed !== undefined && { flushed }), ...(table && { table }) },
  });
  // The report went in first: it is what tells the node's row of the other machine.
  if (node.status !== 'dropped' && isSecondMachine(node, body.boot.id, shell.now()))
    throw new Refusal(
      'key-cloned',
      'another machine speaks with this key: it was copied. Give one of the two a folder of its own, and let an operator look',
    );
  // It is reported all the same: its zone may readmit nodes by itself meanwhile.
  return waits ? { status: 202, body: { acknowledged: false, waits: 'readmission', nextMs: pooledAgainMs } } : again;
}

/**
 * Whether a call was signed before the present boot spoke: it was on its way while its machine restarted, and says
 * nothing of a second one. Of two machines one whose clock is slow is found out later by as much, and no more: it asks
 * again and again.
 */
const wasOvertaken = ({ boot }: Node, { signedBy }: NodeCaller): boolean => boot !== undefined && signedBy <= boot.receivedAt;

async function heartbeat({ params, body, caller }: Call<Routes['heartbeat'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  const intervalMs = await intervalNow(shell);
  refuseVouched(node, intervalMs);
  const rows = await rowsBeside(shell, node, { caller, withDigest: body.digest !== undefined });
  refuseStranger(node, body.incarnation);
  const { id, incarnation, seq, load, tableHash, digest, hears } = body;
  const data = { load, ...(tableHash !== undefined && { tableHash }), ...(digest && { digest }) };
  const beat = {
    ...({ type: 'node.heartbeat', version: 1 } as const),
    id,
    node: params.id,
    incarnation,
    seq,
    receivedAt: shell.now(),
    intervalMs,
    data,
  } as const;
  // One that was heard before is answered, and says nothing anew: whoever kept it cannot bring an older digest back.
  const heard = seq > node.seq ? await hear(shell, beat, { node: caller.row, digest: rows.digest }) : await asItIs(shell, caller);
  // The row was read as it was a moment ago: who is down since then, was removed, has another key or has started anew,
  // is told so at once.
  if (heard) refuseNow(shell, heard, caller, { incarnation, intervalMs });
  const now = heard ?? node;
  if (now.status === 'quarantined')
    throw new Refusal('quarantined', `quarantined: ${now.reason}; until ${quarantineEnds(now)}`, {
      headers: { 'retry-after': String(Math.ceil(intervalMs / 1000)) },
    });
  const zone = await zoneOf(shell, node.zone);
  const isStation = isStationOf(zone?.head, node);
  // One that was heard before renews nothing: a call that was captured may be made again, and its node's row have been
  // read as it was before.
  const isAnew = seq > node.seq && !(heard && isMadeAgain(heard, beat));
  const stations = isStation && isAnew ? await hearStation(shell, node, { id, at: beat.receivedAt, hears }) : undefined;
  const station = stations && rightOf(stations, node.id, beat.receivedAt);
  const stationMs = stations ? stationBeatMs(stations, shell.now()) : stationBeatMaxMs;
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
    },
  };
}

type Word = { readonly incarnation: number };

/** What a heartbeat is refused for by its node's row as it is by now. */
function refuseNow(
  shell: Shell,
  heard: Node,
  caller: NodeCaller,
  { incarnation, intervalMs }: Pick<NodeHeartbeat, 'intervalMs'> & Word,
): void {
  refuseFormerKey(shell, heard, caller);
  refuseRemoved(heard);
  refuseVouched(heard, intervalMs);
  refuseStranger(heard, incarnation);
}

/**
 * The node of a call that changes nothing, where its row was read as it was a moment ago: no commit says whether it is
 * so still.
 */
const asItIs = async (shell: Shell, { node, beside }: NodeCaller): Promise<Node | undefined> =>
  beside && (await read(shell, nodeRef(node!.id)));

/**
 * What a heartbeat is answered by besides its node's row; `digest` where one came with it, and is decided on at once.
 */
type Beside = {
  readonly desired: Row | undefined;
  readonly cluster?: Row | undefined;
  readonly systems?: Row | undefined;
  readonly digest?: Row | undefined;
};

/**
 * Those rows. Where the door decides at once they are read as they were a moment ago: whatever has changed since, the
 * next heartbeat tells.
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
 * Where the shell says so a heartbeat is decided here, by the rows that were read to verify and to answer it: one write
 * each, and no message. What a transient failure keeps from it goes by the queue as all do elsewhere, which tries again
 * for as long as the heartbeat is worth anything. Gives the node as it is then, wherever it was read as it was a moment
 * ago.
 */
async function hear(shell: Shell, beat: NodeHeartbeat, rows: RowsRead): Promise<Node | undefined> {
  if (!shell.settings.hearsAtOnce) {
    await report(shell, beat);
    return undefined;
  }
  shell.log('debug', 'heartbeat.taken', { id: beat.id, row: `node ${beat.node}` });
  try {
    return await applyReport(beat, shell, rows);
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'report.later', { id: beat.id, reason: error.code, detail: error.message });
    await report(shell, beat);
    return await read(shell, nodeRef(beat.node));
  }
}

/**
 * A list that is not the newest, or from before somebody on it may have been banned. Digests of the one before still
 * count; but whoever goes on with it, because the newest was handed to a copy of the machine or its answer was lost,
 * may have somebody on it who is banned.
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

/** Hands a report to the queue that carries its type; resolves once it is durable. */
const report = (shell: Shell, one: Report): Promise<void> => shell.queue.send(carriedBy(one), JSON.stringify(one));

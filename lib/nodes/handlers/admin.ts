import { ifMatch, nodeEtag } from '../../access/etag.ts';
import { keyRef } from '../../access/machine-keys.ts';
import { type AdminCall, lacking } from '../../access/verify-admin.ts';
import { zonesListed } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import { pinnedHardTo, systemsText } from '../../clients/reads/pinned-to.ts';
import { silenceOf, silentByNode } from '../../clients/silence/reads.ts';
import { heldView } from '../../clients/silence/view.ts';
import type { EpochMs } from '../../core/time.ts';
import { fingerprintOf } from '../../identity/fingerprint.ts';
import { holdsIn } from '../../identity/rights.ts';
import { nodeList } from '../../ports/table/keys.ts';
import { stateReasonOf } from '../../ports/table/table.ts';
import { apply } from '../../runtime/apply.ts';
import { recordAttempt } from '../../runtime/attempts.ts';
import { stateOf } from '../../runtime/content.ts';
import { cursorAt, parted, positionAt, positionOf } from '../../runtime/cursors.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { read, readListed, readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type GuardOfDrop, guardsOfDrop } from '../../zones/guardrails/drop-view.ts';
import { foundNode, refuseUnknown } from '../../zones/reads/found.ts';
import { zoneNow, zoneOf } from '../../zones/reads/zones.ts';
import { slotsOwned } from '../../zones/rows/loaded.ts';
import { systemsByNode } from '../../zones/view/zone.ts';
import { countsRef } from '../../zones/zone.ts';
import { adminNodeRoutes, type NodeView } from '../admin-routes.ts';
import { bearingOf } from '../bearing/reads.ts';
import type { RateBeside } from '../bearing/view.ts';
import type { NodeCommand } from '../command.ts';
import { decide } from '../decide.ts';
import { hostRef } from '../hosts/host.ts';
import { type Node, nodeRef } from '../node.ts';
import { alreadySo } from '../on-command.ts';
import { nodeView } from '../view.ts';
import { refuseDeadline } from './deadline.ts';

/**
 * Lists the nodes of a zone, or of each zone of a caller limited to some, by id. Index entries are only a hint: every
 * row is read again.
 */
export async function listNodes({ query, caller }: AdminCall<'listNodes'>, shell: Shell): Promise<Answer> {
  if (query.zone !== undefined) await refuseUnknown(shell, query.zone, caller);
  const zones = zonesListed(caller, query.zone);
  const signature = `nodes of ${zones.join(' ')}`;
  const position = await positionOf(shell, query.cursor, signature);
  const [at, after] = position === undefined ? [0, undefined] : parted(position);
  const zone = zones[at]!;
  const page = await shell.table.queryIndex({
    index: 'list',
    pk: nodeList(zone),
    limit: query.limit,
    ...(after !== undefined && { after }),
  });
  const keys = page.items.map((entry) => entry.key);
  const rows = await readListed(shell, nodeRef, keys);
  const show = await nodeViewer(shell, zone, await silentByNode(shell, zone));
  const items = rows.flatMap((row) => {
    const node = stateOf(row, shell.now());
    // A node that moved to another zone since it was listed is listed there, for callers who may see it.
    return node?.zone === zone ? [show(node, stateReasonOf(row!).because)] : [];
  });
  const next = page.next !== undefined ? positionAt(at, page.next) : at + 1 < zones.length ? positionAt(at + 1, undefined) : undefined;
  return { status: 200, body: { items, ...(next !== undefined && { next: await cursorAt(shell, next, signature) }) } };
}

type Apart = Pick<Parameters<typeof nodeView>[2], 'host' | 'keySince' | 'silenceHeld' | 'withLoads'> & Pick<RateBeside, 'bearing'>;

/** Makes the views of the nodes of a zone, with their slots and about how many systems those hold. */
async function nodeViewer(
  shell: Shell,
  zoneName: string,
  silent: ReadonlyMap<string, number>,
): Promise<(node: Node, because: string, apart?: Apart) => NodeView> {
  const zone = await zoneOf(shell, zoneName);
  const counts = (await readRow(shell, countsRef(zoneName)))?.body;
  const owned = zone ? slotsOwned(zone) : new Uint32Array();
  const systems = zone ? systemsByNode(zone, counts) : new Map<number, number>();
  const settings = { usualMs: shell.settings.admitEveryMs, admission: zone?.head.admission };
  return (node, because, { bearing, ...apart } = {}) =>
    nodeView(node, because, {
      slots: owned[node.index ?? -1] ?? 0,
      systemsAbout: systems.get(node.index ?? -1) ?? 0,
      silentAbout: silent.get(node.id),
      zonePage: zone?.head.page,
      rate: { ...settings, pace: zone?.members[node.index ?? -1]?.pace, bearing },
      ...apart,
    });
}

/** One node, with the facts of its host and the age of its key. */
export async function getNode({ params, caller }: AdminCall<'getNode'>, shell: Shell): Promise<Answer> {
  const { node, row } = await foundNode(shell, params.id, caller);
  return nodeAnswer(shell, node, stateReasonOf(row).because);
}

async function nodeAnswer(shell: Shell, node: Node, because: string): Promise<Answer> {
  const host = (await readRow(shell, hostRef(node.id)))?.body;
  const key = await read(shell, keyRef(fingerprintOf(node.publicKey)));
  const keySince = key?.state === 'bound' ? key.at : undefined;
  const silence = await silenceOf(shell, node.id);
  const silent = new Map<string, number>(silence ? [[node.id, silence.count]] : []);
  const bearing = await bearingOf(shell, node, (await zoneOf(shell, node.zone))?.head.admission);
  const apart = { host, keySince, silenceHeld: silence && heldView(silence), withLoads: true, bearing };
  return { status: 200, body: (await nodeViewer(shell, node.zone, silent))(node, because, apart), headers: { etag: nodeEtag(node) } };
}

/** Edits weight, capacity, labels and whether another system vouches; fenced by If-Match if that is sent. */
export async function editNode({ params, body, request, caller }: AdminCall<'editNode'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, params.id, caller);
  if (body.vouched !== undefined) await requireAdminToVouch(node, { caller, request }, shell);
  const fenced = ifMatch<Node, NodeCommand>(request, (now) => now && nodeEtag(now), decide);
  const { decision, state } = await apply(shell, rowOf(node.id), { type: 'edit', id: request.id, ...body }, fenced);
  if (decision.does === 'nothing' && decision.because !== alreadySo) throw new Refusal('refused', `${node.fqdn}: ${decision.because}`);
  const { row: now } = await foundNode(shell, node.id, caller);
  return nodeAnswer(shell, state ?? node, stateReasonOf(now).because);
}

/**
 * A system that vouches for a node decides where its client systems are: the right to operate the node does not suffice
 * to change that. Records the attempt and throws a {@link Refusal}.
 */
async function requireAdminToVouch(
  node: Node,
  { caller, request }: Pick<AdminCall<'editNode'>, 'caller' | 'request'>,
  shell: Shell,
): Promise<void> {
  if (holdsIn(caller.rights, 'admin', node.zone)) return;
  const refusal = lacking('admin', `changing who vouches for ${node.fqdn} requires the scope admin in zone ${node.zone}`);
  await recordAttempt(shell, { request, route: adminNodeRoutes.editNode, type: refusal.type, detail: refusal.message });
  throw refusal;
}

/** Orders a node to leave or to stay; the zone's plan carries it out at the next sweep. */
export async function leaveNode({ params, body, request, caller }: AdminCall<'leaveNode'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, params.id, caller);
  const until = body.until === undefined ? undefined : (Date.parse(body.until) as EpochMs);
  refuseDeadline(until, shell.now(), '/until');
  return ordered(
    shell,
    node,
    body.mode === 'stay' ? { type: 'stay', id: request.id } : { type: 'leave', id: request.id, mode: body.mode, until },
  );
}

/**
 * Gives a node up by an operator's order, which must name each guard-rail that it overrules. The answer names those
 * that hold the node's client systems back.
 */
export async function dropNode({ params, body, request, caller }: AdminCall<'dropNode'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, params.id, caller);
  const zone = await zoneNow(shell, node.zone);
  const { holds, stands } = zone ? guardsOfDrop(zone.head, node) : { holds: [], stands: [] };
  const against = holds.filter(({ rule }) => !body.overrule.some((named) => named === rule));
  if (against.length > 0) {
    const rules = [...new Set(against.map(({ rule }) => rule))].join(',');
    const why = against.map(({ because }) => because).join('; ');
    throw new Refusal('refused', `${node.fqdn} is held: ${why}. To give it up anyway, overrule these rules: node drop --overrule ${rules}`);
  }
  return ordered(shell, node, { type: 'drop', id: request.id }, stands);
}

/** Whether an order has been carried out already, or is about to be. */
function isDone(node: Node, order: NodeCommand): boolean {
  if (order.type === 'drop') return node.status === 'dropped' || ('ordered' in node && node.ordered === 'drop');
  if (order.type === 'leave') return node.status === 'leaving' && node.leaving.mode === order.mode;
  return order.type === 'stay' && node.status === 'up';
}

/** Carries out an order. An order that is done already is no refusal; one that the node's state does not allow is. */
async function ordered(shell: Shell, node: Node, order: NodeCommand, remaining: readonly GuardOfDrop[] = []): Promise<Answer> {
  const { decision } = await command(shell, node.id, order);
  if (decision.does === 'nothing' && !isDone(node, order)) throw new Refusal('refused', `${node.fqdn}: ${decision.because}`);
  const awaiting = order.type === 'drop' || (order.type === 'leave' && order.mode === 'drain') ? await pinnedHardTo(shell, node) : 0;
  const because = [
    decision.because,
    ...(awaiting === 0 ? [] : [`${systemsText(awaiting)} are pinned to it and wait for it`]),
    ...remaining.map((one) => one.because),
  ];
  return { status: 202, body: { done: decision.does !== 'nothing', because: because.join('; ') } };
}

const command = (shell: Shell, id: string, one: NodeCommand) => apply(shell, rowOf(id), one, decide);

const rowOf = (id: string) => nodeRef(id);

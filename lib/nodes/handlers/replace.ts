import { heldKey, revokeKey } from '../../access/machine-keys.ts';
import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { seesHost, seesZone } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import { systemsText } from '../../clients/reads/pinned-to.ts';
import type { Plan, PlannedChange, RowRef } from '../../core/decision.ts';
import { Later } from '../../core/errors.ts';
import { Fingerprint, NodeId } from '../../core/ids.ts';
import { earlier } from '../../core/time.ts';
import { fingerprintOf, nodeIdOf } from '../../identity/fingerprint.ts';
import { keyOf } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan, Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { read } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { enteringZone } from '../../zones/changes/gate.ts';
import { pinnedTo } from '../../zones/pins/pins.ts';
import { foundNode } from '../../zones/reads/found.ts';
import { zoneNow, zoneOf } from '../../zones/reads/zones.ts';
import { slotsOwned } from '../../zones/rows/loaded.ts';
import { zoneRef } from '../../zones/zone.ts';
import { fingerprintsOf } from '../admission/handlers/list-pool.ts';
import { poolChange, pooledHost } from '../admission/handlers/pool.ts';
import { foreignWatch, needsAnyWatch } from '../admission/rows/own-watch.ts';
import { refuseForeign } from '../changes/take-over.ts';
import type { NodeCommand } from '../command.ts';
import { decide } from '../decide.ts';
import { type Node, nodeRef } from '../node.ts';
import { fqdnRef } from '../rows/name.ts';

/**
 * The machine that takes a node's place: a node of its zone, or a host that waits in the pool and will be that node.
 */
type Heir = { readonly node: NodeId; readonly host?: Fingerprint };

/**
 * Replaces a node by another machine: from now on it is out, its key is rejected, and the other takes its index and its
 * home once it is ready. Its row, the other's row or place in the pool, and its keys change in one commit.
 */
export async function replaceNode({ params, body, request, caller }: AdminCall<'replaceNode'>, shell: Shell): Promise<Answer> {
  const { node: old } = await foundNode(shell, params.id, caller);
  const heir = await heirOf(shell, body.by, old, caller);
  const order = { old: old.id, heir, force: body.force, id: request.id, caller };
  const plan = await applyPlan(shell, { id: request.id }, (reading) => replacement(shell, reading, order));
  return { status: 202, body: { done: plan.changes.length > 0, because: plan.because[0]! } };
}

/**
 * The machine that an id, a name or a fingerprint means. Throws a {@link Refusal} when the caller can see none, or
 * several.
 */
async function heirOf(shell: Shell, by: string, old: Node, caller: AdminCaller): Promise<Heir> {
  if (NodeId.safeParse(by).success) return { node: (await foundNode(shell, by, caller)).node.id };
  const isKey = Fingerprint.safeParse(by).success;
  const named = isKey ? undefined : await memberOf(shell, by.toLowerCase(), old, caller);
  const hosts = isKey ? [by] : (await fingerprintsOf(shell, by.toLowerCase(), caller)).filter((fp) => fp !== fingerprintOf(old.publicKey));
  const waiting = await Promise.all(hosts.map((fp) => waitingHost(shell, fp as Fingerprint, caller)));
  const found = [...(named ? [named] : []), ...waiting.flatMap((one) => one ?? [])];
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new Refusal('unknown-node', `no node and no host in the pool is called ${by}`);
  throw new Refusal(
    'refused',
    `${found.length} machines are called ${by}: give the node's id, or the fingerprint of the host that is meant`,
  );
}

/** A node by name, other than the one that is replaced. */
async function memberOf(shell: Shell, fqdn: string, old: Node, caller: AdminCaller): Promise<Heir | undefined> {
  const id = (await read(shell, fqdnRef(fqdn)))?.node;
  const node = id === undefined ? undefined : stateOf<Node>(await shell.table.read(nodeKey(id)), shell.now());
  return node && node.id !== old.id && node.removedAt === undefined && seesZone(caller, node.zone) ? { node: node.id } : undefined;
}

/** A host by the fingerprint of its key: one that waits, or one that has joined as a node by now. */
async function waitingHost(shell: Shell, fp: Fingerprint, caller: AdminCaller): Promise<Heir | undefined> {
  const { host } = await pooledHost(shell, new Reading(shell), fp);
  if (host && host.standing !== 'rejected' && seesHost(caller, host)) return { node: nodeIdOf(host.publicKey), host: fp };
  const { key } = await heldKey(shell, new Reading(shell), fp);
  const node = key?.owner.noun === 'node' ? stateOf<Node>(await shell.table.read(nodeKey(key.owner.id)), shell.now()) : undefined;
  return node && node.removedAt === undefined && seesZone(caller, node.zone) ? { node: node.id } : undefined;
}

const nodeKey = (id: string) => keyOf(nodeRef(id));

type Order = { readonly old: NodeId; readonly heir: Heir; readonly force: boolean; readonly id: string; readonly caller: AdminCaller };

async function replacement(shell: Shell, reading: Reading, { old: oldId, heir, force, id, caller }: Order): Promise<Plan> {
  const now = shell.now();
  const ref = nodeRef(oldId);
  const row = await reading.row(ref);
  const old = stateOf(row, now);
  if (!old) throw new Refusal('unknown-node', `no node ${oldId} has joined`);
  const decision = decide(old, { type: 'replace', id, by: heir.node, force }, now);
  if (decision.does !== 'write') {
    if (old.replacedBy?.node !== heir.node) throw new Refusal('refused', `${old.fqdn}: ${decision.because}`);
    return { changes: [], because: [decision.because] };
  }
  if (heir.node === old.id) throw new Refusal('refused', `${old.fqdn} cannot take its own place`);
  const heirChanges = heir.host
    ? await fromPool(shell, reading, old, { fp: heir.host, caller })
    : await fromZone(shell, reading, old, { heir, id });
  const owner = nodeRef(old.id);
  const key = await heldKey(shell, reading, fingerprintOf(old.publicKey));
  return {
    changes: [ordered(ref, row!, decision), ...heirChanges, ...revokeKey(key, owner, now)],
    because: [decision.because],
  };
}

/** A plan sets `wakeAt` as it is decided; an order may only bring it forward. */
function ordered(ref: RowRef, row: Row, decision: PlannedChange['decision']): PlannedChange {
  const wakeAt = decision.does === 'write' ? earlier(row.wakeAt, decision.wakeAt) : undefined;
  return { ref, readRev: row.rev, decision: { ...decision, ...(wakeAt !== undefined && { wakeAt }) } };
}

/** Admits a host in the pool into the zone of the node whose place it takes. Its next join makes it a node. */
async function fromPool(
  shell: Shell,
  reading: Reading,
  old: Node,
  { fp, caller }: { readonly fp: Fingerprint; readonly caller: AdminCaller },
): Promise<PlannedChange[]> {
  const pool = await pooledHost(shell, reading, fp);
  // Since it was looked up it may have asked for another zone.
  if (!pool.host || !seesHost(caller, pool.host)) throw new Later('row.busy', `host ${fp} is no longer in the pool`);
  const isServing = old.status !== 'down' && old.status !== 'dropped';
  if (pool.host.fqdn === old.fqdn && isServing)
    throw new Refusal('refused', `${old.fqdn} is ${old.status}, and two machines cannot have one name: it must be down first`);
  const entry = await enteringZone(shell, reading, old.zone);
  if ('shut' in entry) throw new Refusal('refused', entry.shut);
  if (needsAnyWatch(pool.host)) throw new Refusal('refused', `${pool.host.fqdn}: ${foreignWatch(pool.host)}`);
  // Otherwise the host could not join, although the node whose place it takes is out from this moment on.
  const holder = await holderOf(shell, reading, pool.host.fqdn);
  if (holder) refuseForeign(holder, old.zone);
  return [...poolChange(shell, fp, pool, { type: 'admit', zone: old.zone, replaces: old.id }), ...entry.changes];
}

/** The node that has this name, if there is one. */
async function holderOf({ now }: Shell, reading: Reading, fqdn: string): Promise<Node | undefined> {
  const id = stateOf(await reading.row(fqdnRef(fqdn)), now())?.node;
  return id === undefined ? undefined : stateOf(await reading.row(nodeRef(id)), now());
}

/**
 * A node of the same zone takes the place, if it has no client systems of its own: they would have to move, and a
 * replacement moves no others. The commit holds only if the zone is as it was read.
 */
async function fromZone(shell: Shell, reading: Reading, old: Node, { heir, id }: Pick<Order, 'heir' | 'id'>): Promise<PlannedChange[]> {
  const ref = nodeRef(heir.node);
  const row = await reading.row(ref);
  const by = stateOf(row, shell.now());
  if (!by) throw new Refusal('unknown-node', `no node ${heir.node} has joined`);
  if (by.zone !== old.zone) throw new Refusal('refused', `${by.fqdn} is in zone ${by.zone}, and ${old.fqdn} in zone ${old.zone}`);
  const command: NodeCommand = { type: 'take-over', id, from: old.id };
  const decision = decide(by, command, shell.now());
  if (decision.does === 'nothing' && by.replaces !== old.id)
    throw new Refusal('refused', `${by.fqdn} cannot take the place of ${old.fqdn}: ${decision.because}`);
  const ofZone = zoneRef(old.zone);
  const headRow = await reading.row(ofZone);
  const slots = await slotsOf(shell, by);
  if (slots > 0)
    throw new Refusal(
      'refused',
      `${by.fqdn} has ${slots} slots of its own: a node that takes another's place must have no client systems yet`,
    );
  const pinned = await pinnedToNode(shell, by);
  if (pinned > 0)
    throw new Refusal('refused', `${systemsText(pinned)} are pinned to ${by.fqdn}: a node that takes another's place leaves its own`);
  const wakeAt = headRow?.wakeAt;
  const check = { does: 'nothing', because: 'the zone was checked', ...(wakeAt !== undefined && { wakeAt }) } as const;
  return [
    ...(decision.does === 'nothing' ? [] : [ordered(ref, row!, decision)]),
    { ref: ofZone, readRev: headRow?.rev ?? 0, decision: check },
  ];
}

/** How many client systems are pinned to a node, hard and soft. */
async function pinnedToNode(shell: Shell, { zone, index }: Node): Promise<number> {
  const loaded = index === undefined ? undefined : await zoneOf(shell, zone);
  return loaded ? pinnedTo(loaded.pins, index!).reduce((sum, { hard, soft }) => sum + hard + soft, 0) : 0;
}

/** How many slots a node owns, or would get back. */
async function slotsOf(shell: Shell, { zone: name, index }: Node): Promise<number> {
  const zone = await zoneNow(shell, name);
  if (!zone || index === undefined) return 0;
  const owned = slotsOwned(zone)[index] ?? 0;
  return owned > 0 ? owned : zone.map.home.reduce((sum, home) => sum + (home === index ? 1 : 0), 0);
}

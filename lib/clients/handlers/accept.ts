import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { seesSystem, seesZone, whereSeen } from '../../access/zones-of-caller.ts';
import { nothing } from '../../core/decision.ts';
import { Later } from '../../core/errors.ts';
import type { ClusterId, Fingerprint, ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Room, roomOf } from '../../zones/capacity/reads.ts';
import { applyInZone, type Beside } from '../../zones/changes/gate.ts';
import { ensureSeenDefaultZone, givenZone } from '../../zones/reads/found.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import { defaultZone } from '../../zones/zone.ts';
import { keepMachineId, keptName } from '../changes/claims.ts';
import { type Client, clientRef } from '../client.ts';
import { givenId, newClusterId } from '../cluster-ids/changes.ts';
import { clusterIdRef } from '../cluster-ids/cluster-ids.ts';
import { decide } from '../decide.ts';
import { systemRow } from '../reads/rows.ts';
import { isDuplicate } from '../rows/claims.ts';
import type { ClientCommand } from '../rows/command.ts';
import { staggered } from '../stagger.ts';
import { selectionOf } from './selection.ts';
import type { Result } from './systems.ts';

type Accepting = Extract<ClientCommand, { type: 'accept' }>;
type Order = Omit<Accepting, 'zone' | 'notBefore' | 'clusterId'>;

/** A key that should be accepted, as found, and its future zone. */
type Wanted = { readonly fp: Fingerprint; readonly client: Client | undefined; readonly zone: ZoneName };
/** A zone that keys are accepted into: when each may be assigned its node, and the capacity that is left. */
type Into = { readonly moments: ReadonlyMap<string, EpochMs>; readonly room: Room };

const unknown = 'this key never knocked, or its knock has expired';

/**
 * Accepts keys from the pool, each by itself, into the zone that the call names, or else the zone that the key asks
 * for. A key that cannot be accepted has the reason as its result, and the others are unaffected.
 */
export async function accept({ body, request, caller }: AdminCall<'accept'>, shell: Shell): Promise<Answer> {
  const given = body.zone === undefined ? undefined : await givenZone(shell, body.zone, caller);
  if (given === undefined) await ensureSeenDefaultZone(shell, caller);
  const { tags, groups, earlier, duplicates } = body;
  const { fps, before, rest } = await selectionOf(shell, body, `accept ${JSON.stringify([body.zone, tags, groups, duplicates])}`, caller);
  const wanted = await Promise.all(fps.map((fp) => wantedOf(shell, fp, given, caller)));
  const zones = new Map<ZoneName, Into | undefined>();
  for (const [zone, some] of Map.groupBy(wanted, (one) => one.zone))
    zones.set(zone, await intoZone(shell, zone, { fps: [...new Set(some.map(({ fp }) => fp))], earlier: earlier + before, caller }));
  const order: Order = { type: 'accept', id: request.id, by: shell.actor?.who, tags, groups, duplicates };
  const results = await Promise.all(wanted.map((one) => accepted(shell, one, order, { caller, into: zones.get(one.zone) })));
  return { status: 200, body: { results, ...rest } };
}

async function wantedOf(shell: Shell, fp: Fingerprint, given: ZoneName | undefined, caller: AdminCaller): Promise<Wanted> {
  const known = (await systemRow(shell, fp))?.state;
  const client = known && seesSystem(caller, known) ? known : undefined;
  return { fp, client, zone: given ?? client?.zone ?? defaultZone };
}

type BulkPart = { readonly fps: readonly string[]; readonly earlier: number; readonly caller: AdminCaller };

/** Undefined for a zone that does not exist for the caller. */
async function intoZone(shell: Shell, zone: ZoneName, { fps, earlier, caller }: BulkPart): Promise<Into | undefined> {
  const loaded = seesZone(caller, zone) ? await zoneOf(shell, zone) : undefined;
  return loaded && { moments: staggered(loaded, fps, earlier, shell.now()), room: await roomOf(shell, zone) };
}

type Deciding = { readonly caller: AdminCaller; readonly into: Into | undefined };

/** `busy` is a result of one key: failing the call would hide what was done to the other keys. */
async function accepted(shell: Shell, { fp, client, zone }: Wanted, order: Order, { caller, into }: Deciding): Promise<Result> {
  if (!client) return { fp, done: false, because: unknown };
  if (!into) return { fp: client.fp, done: false, because: `it asks for zone ${zone}, which does not exist: name another` };
  try {
    return await ordered(shell, client, { ...order, zone, notBefore: into.moments.get(fp) }, { caller, room: into.room });
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'door.refused', { id: order.id, type: error.code, detail: error.message });
    return { fp, done: false, busy: true, because: 'busy, try again' };
  }
}

type Ordering = { readonly caller: AdminCaller; readonly room: Room };

async function ordered(shell: Shell, client: Client, given: Omit<Accepting, 'clusterId'>, { caller, room }: Ordering): Promise<Result> {
  const { fp } = client;
  const ifSeen = whereSeen(caller, decide, () => nothing(unknown));
  const ref = clientRef(fp);
  const isNew = client.standing === 'pooled';
  const duplicate = isNew && isDuplicate(client) && { duplicate: true as const };
  if (isNew && !room.take()) return { fp, done: false, full: true, because: room.because() };
  let done = false;
  try {
    if (isNew && (given.duplicates || !duplicate)) await keepMachineId(shell, client);
    const clusterId = isNew ? await newClusterId(shell) : undefined;
    const put = { ref, zone: given.zone, who: ref, ...(clusterId !== undefined && { beside: besideOf(shell, client, clusterId) }) };
    const order: Accepting = { ...given, clusterId };
    const { decision } = await applyInZone(shell, put, order, ifSeen);
    done = decision.does !== 'nothing';
    return { fp, done, ...duplicate, because: decision.because };
  } finally {
    if (isNew && !done) room.giveBack();
  }
}

/** The records of its name and of its cluster id, in the commit that accepts it. */
function besideOf(shell: Shell, client: Client, id: ClusterId): Beside<Client> {
  const { refs, changes } = keptName(shell, client);
  return {
    refs: [clusterIdRef(id), ...refs],
    changes: ([, ...rows], next) => [givenId(id, client.fp), ...changes(rows, next)],
  };
}

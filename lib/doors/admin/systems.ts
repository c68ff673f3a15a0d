import { Refusal } from '../../api/problem.ts';
import type { SameMachineIdKey, SystemView } from '../../api/views.ts';
import type { Client } from '../../clients/client.ts';
import type { ClientCommand } from '../../clients/command.ts';
import { decide } from '../../clients/decide.ts';
import { isDuplicate } from '../../clients/machine-id.ts';
import { planRevocations, revocationsPerPlanMax } from '../../clients/plan.ts';
import { staggered } from '../../clients/stagger.ts';
import { sameMachineIdKey, systemView } from '../../clients/view.ts';
import { nothing } from '../../decision.ts';
import { Later } from '../../errors.ts';
import type { Fingerprint } from '../../ids.ts';
import { apply } from '../../runtime/apply.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Row } from '../../table/table.ts';
import type { EpochMs } from '../../units.ts';
import { type Pins, pinsRef } from '../../zones/pins.ts';
import type { Revoked } from '../../zones/zone.ts';
import { clientRow } from '../client-rows.ts';
import { withCoverage } from '../coverage.ts';
import { keepMachineId } from '../machine-ids.ts';
import { type Room, roomOf } from '../room.ts';
import type { AdminCall, AdminCaller } from '../verify-admin.ts';
import { applyInZone } from '../zone-gate.ts';
import { forgetZone, zoneOf } from '../zones.ts';
import { ifMatch, systemEtag } from './etag.ts';
import { givenZone } from './found.ts';
import { seesSystem, whereSeen } from './zones-of-caller.ts';

type Result = { fp: string; done: boolean; busy?: true; full?: true; duplicate?: true; because: string };

/** A client system as shown to people: its status computed as for its own calls, the node's digest included. */
export async function viewOf(shell: Shell, client: Client, row: Row, caller: AdminCaller): Promise<SystemView> {
  const { before = [], after = [] } = client.sameMachineId ?? {};
  const others = await Promise.all([...before, ...after].map((fp) => shared(shell, fp, caller)));
  const keys = others.flatMap((other, i) => (other ? [sameMachineIdKey(other, i < before.length)] : []));
  return viewAmong(shell, client, row, keys);
}

/** Another key that says the same machine id, where it is there for the caller. */
async function shared(shell: Shell, fp: Fingerprint, caller: AdminCaller): Promise<SystemView | undefined> {
  const known = await clientRow(shell, fp);
  return known && seesSystem(caller, known.state) ? viewAmong(shell, known.state, known.row, []) : undefined;
}

async function viewAmong(shell: Shell, client: Client, row: Row, others: readonly SameMachineIdKey[]): Promise<SystemView> {
  const zone = client.standing === 'accepted' ? await zoneOf(shell, client.zone) : undefined;
  const unconfirmed = client.standing === 'accepted' && zone && client.told && client.told.confirmedAt === undefined;
  const seen = unconfirmed ? (await withCoverage(shell, client, zone)).client : client;
  return systemView(seen, row.because, zone, shell.now(), others);
}

/** One client system, by either of its fingerprints. */
export async function getSystem({ params, caller }: AdminCall<'getSystem'>, shell: Shell): Promise<Answer> {
  const { state, row } = await found(shell, params.fp, caller);
  return { status: 200, body: await viewOf(shell, state, row, caller), headers: { etag: systemEtag(state) } };
}

/** Tags and groups of an accepted one; fenced by If-Match when it is sent. */
export async function editSystem({ params, body, request, caller }: AdminCall<'editSystem'>, shell: Shell): Promise<Answer> {
  const { state } = await found(shell, params.fp, caller);
  const unknown = () => {
    throw unknownSystem(params.fp);
  };
  const fenced = whereSeen(
    caller,
    ifMatch<Client, ClientCommand>(request, (now) => now && systemEtag(now), decide),
    unknown,
  );
  const { decision } = await apply<Client, ClientCommand>(shell, rowOf(state.fp), { type: 'edit', id: request.id, ...body }, fenced);
  if (decision.does === 'nothing') throw new Refusal('refused', decision.because);
  const now = await found(shell, params.fp, caller);
  return { status: 200, body: await viewOf(shell, now.state, now.row, caller), headers: { etag: systemEtag(now.state) } };
}

/** Accepts keys from the pool, each by itself; one that cannot be accepted says why and stops nobody else. */
export async function accept({ body, request, caller }: AdminCall<'accept'>, shell: Shell): Promise<Answer> {
  const zone = await givenZone(shell, body.zone, caller);
  const { tags, groups, earlier, duplicates } = body;
  const now = shell.now();
  const loaded = await zoneOf(shell, zone);
  const moments = loaded ? staggered(loaded, [...new Set(body.systems)], earlier, now) : new Map<string, EpochMs>();
  const room = await roomOf(shell, zone);
  const order = { type: 'accept', id: request.id, zone, tags, groups, duplicates } as const;
  const results = await Promise.all(body.systems.map((fp) => one(shell, fp, { ...order, notBefore: moments.get(fp) }, { caller, room })));
  return { status: 200, body: { results } };
}

type Accepting = Extract<ClientCommand, { type: 'accept' }>;
/** On whose behalf, and what is left of the zone's capacity. */
type Into = { readonly caller: AdminCaller; readonly room: Room };

/** Busy is one key's result like any other: a failure of the call would hide what was done to the other keys. */
async function one(shell: Shell, fp: Fingerprint, order: Accepting, into: Into): Promise<Result> {
  try {
    return await ordered(shell, fp, order, into);
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'door.refused', { id: order.id, type: error.code, detail: error.message });
    return { fp, done: false, busy: true, because: 'busy, try again' };
  }
}

async function ordered(shell: Shell, fp: Fingerprint, order: Accepting, { caller, room }: Into): Promise<Result> {
  const known = await clientRow(shell, fp);
  const unknown = 'this key never knocked, or its knock has expired';
  if (!known || !seesSystem(caller, known.state)) return { fp, done: false, because: unknown };
  const ifSeen = whereSeen(caller, decide, () => nothing(unknown));
  const put = { ref: rowOf(known.state.fp), zone: order.zone };
  const isNew = known.state.standing === 'pooled';
  const duplicate = isNew && isDuplicate(known.state) && { duplicate: true as const };
  if (isNew && !room.take()) return { fp: known.state.fp, done: false, full: true, because: room.because() };
  let done = false;
  try {
    if (isNew && (order.duplicates || !duplicate)) await keepMachineId(shell, known.state);
    const { decision } = await applyInZone<Client, ClientCommand>(shell, put, order, ifSeen);
    done = decision.does !== 'nothing';
    return { fp: known.state.fp, done, ...duplicate, because: decision.because };
  } finally {
    if (isNew && !done) room.giveBack();
  }
}

/** Takes client systems off their nodes. */
export const unregister = async ({ body, request, caller }: AdminCall<'unregister'>, shell: Shell): Promise<Answer> => ({
  status: 200,
  body: { results: await revoke(shell, body.systems, { type: 'unregister', id: request.id }, caller) },
});

/** Bans fingerprints, for ever; one that is banned counts as done, so that the order may be repeated. */
export const ban = async ({ body, request, caller }: AdminCall<'ban'>, shell: Shell): Promise<Answer> => ({
  status: 200,
  body: { results: await revoke(shell, body.systems, { type: 'ban', id: request.id }, caller) },
});

type Revoking = Extract<ClientCommand, { type: 'ban' | 'unregister' }>;

/** By zone, 50 a commit: the rows and the revocation of their tokens together. */
async function revoke(shell: Shell, fps: readonly Fingerprint[], order: Revoking, caller: AdminCaller): Promise<Result[]> {
  const known = await Promise.all([...new Set(fps)].map(async (fp) => ({ fp, client: await seen(shell, fp, caller) })));
  const results: Result[] = known.filter((each) => !each.client).map(({ fp }) => ({ fp, done: false, because: 'this key never knocked' }));
  const clients = [...new Map(known.flatMap(({ client }) => (client ? [[client.fp, client] as const] : []))).values()];
  const moved: Fingerprint[] = [];
  for (const [zone, members] of Map.groupBy(clients, zoneNameOf))
    for (let at = 0; at < members.length; at += revocationsPerPlanMax) {
      const part = await revokePart(shell, zone, members.slice(at, at + revocationsPerPlanMax), order);
      results.push(...part.results);
      moved.push(...part.moved);
    }
  return moved.length === 0 ? results : [...results, ...(await revoke(shell, moved, order, caller))];
}

/** The client system of this fingerprint, if it is there for the caller. */
async function seen(shell: Shell, fp: Fingerprint, caller: AdminCaller): Promise<Client | undefined> {
  const client = (await clientRow(shell, fp))?.state;
  return client && seesSystem(caller, client) ? client : undefined;
}

const zoneNameOf = (client: Client): string | undefined => (client.standing === 'accepted' ? client.zone : undefined);

const isPinned = ({ body }: { readonly body: Client }): boolean => body.standing === 'accepted' && body.pin !== undefined;

/** Those who are of this zone still; who was accepted meanwhile has tokens of a zone that is to revoke them. */
async function revokePart(
  shell: Shell,
  zone: string | undefined,
  members: readonly Client[],
  order: Revoking,
): Promise<{ results: Result[]; moved: Fingerprint[] }> {
  const part = { ...order, id: `${order.id}-${members[0]!.fp.slice(0, 16)}` };
  let results: Result[] = [];
  let moved: Fingerprint[] = [];
  await applyPlan(shell, part, async (reading) => {
    const rows = await reading.rows(members.map(({ fp }) => ({ noun: 'client', id: fp })));
    const all = rows.flatMap((row) => {
      const body = stateOf<Client>(row, shell.now());
      return body ? [{ body, rev: row!.rev }] : [];
    });
    const clients = all.filter(({ body }) => zoneNameOf(body) === zone);
    moved = all.filter(({ body }) => zoneNameOf(body) !== zone).map(({ body }) => body.fp);
    const revokedRow = zone === undefined ? undefined : await reading.row({ noun: 'revoked', id: zone });
    const pinsRow = zone !== undefined && clients.some(isPinned) ? await reading.row(pinsRef(zone)) : undefined;
    const pins = stateOf<Pins>(pinsRow, shell.now());
    const planned = planRevocations(
      {
        clients,
        ...(zone !== undefined && {
          zone: {
            ...{ name: zone, revoked: revokedRow?.body as Revoked | undefined, rev: revokedRow?.rev ?? 0 },
            ...(pins && { pins: { body: pins, rev: pinsRow!.rev } }),
          },
        }),
      },
      part,
      shell.now(),
    );
    const written = new Set(planned.changes.filter((change) => change.ref.noun === 'client').map((change) => change.ref.id));
    const isDone = (client: Client) => written.has(client.fp) || (order.type === 'ban' && client.standing === 'banned');
    results = clients.map(({ body }, i) => ({ fp: body.fp, done: isDone(body), because: planned.because[i]! }));
    return planned;
  });
  if (zone !== undefined) forgetZone(shell, zone);
  return { results, moved };
}

async function found(shell: Shell, fp: Fingerprint, caller: AdminCaller): Promise<{ state: Client; row: Row }> {
  const known = await clientRow(shell, fp);
  if (!known || !seesSystem(caller, known.state)) throw unknownSystem(fp);
  return known;
}

const unknownSystem = (fp: Fingerprint): Refusal =>
  new Refusal('unknown-system', `no client system with the fingerprint ${fp} has knocked`);

const rowOf = (fp: string) => ({ noun: 'client', id: fp });

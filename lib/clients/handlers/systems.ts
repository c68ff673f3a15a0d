import { ifMatch, systemEtag } from '../../access/etag.ts';
import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { seesSystem, whereSeen } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import type { ClusterId, Fingerprint } from '../../core/ids.ts';
import type { Row } from '../../ports/table/table.ts';
import { apply } from '../../runtime/apply.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import type { SameMachineIdKey, SystemView } from '../admin-routes.ts';
import { type Revoking, revokePart } from '../changes/revoke.ts';
import { type Client, clientRef } from '../client.ts';
import { decide } from '../decide.ts';
import { revocationsPerPlanMax } from '../plan.ts';
import { clientRow, systemRow, systemRowById } from '../reads/rows.ts';
import { seenSystems, zoneNameOf } from '../reads/seen.ts';
import { type Claim, claims } from '../rows/claims.ts';
import type { ClientCommand } from '../rows/command.ts';
import { keysShared, type SharedKeys, sameMachineIdKey, systemView } from '../view.ts';
import { withCoverage } from './coverage.ts';
import { selectionOf } from './selection.ts';

/** The result of one of the client systems of a call. */
export type Result = { fp: string; done: boolean; busy?: true; full?: true; duplicate?: true; because: string };

/** A client system as people view it: its status is computed as for its own calls, including the digest of its node. */
export async function viewOf(shell: Shell, client: Client, row: Row, caller: AdminCaller): Promise<SystemView> {
  const shared = keysShared(client);
  const fps = [...new Set(claims.flatMap((claim) => shared[claim].fps))];
  const views = new Map(await Promise.all(fps.map(async (fp) => [fp, await sharing(shell, fp, caller)] as const)));
  const keysOf = (claim: Claim): SameMachineIdKey[] =>
    shared[claim].fps.flatMap((fp, n) => {
      const view = views.get(fp);
      return view ? [sameMachineIdKey(view, n < shared[claim].first)] : [];
    });
  return viewAmong(shell, client, row, { 'machine-id': keysOf('machine-id'), 'system-name': keysOf('system-name') });
}

/** Another key with the same claim; undefined if the caller must not see it. */
async function sharing(shell: Shell, fp: Fingerprint, caller: AdminCaller): Promise<SystemView | undefined> {
  const known = await clientRow(shell, fp);
  return known && seesSystem(caller, known.state) ? viewAmong(shell, known.state, known.row) : undefined;
}

async function viewAmong(shell: Shell, client: Client, row: Row, others?: SharedKeys): Promise<SystemView> {
  const zone = client.standing === 'accepted' ? await zoneOf(shell, client.zone) : undefined;
  const unconfirmed = client.standing === 'accepted' && zone && client.told && client.told.confirmedAt === undefined;
  const seen = unconfirmed ? (await withCoverage(shell, client, zone)).client : client;
  return systemView(seen, row.because, zone, shell.now(), others);
}

/** One client system, by either of its fingerprints or by its cluster id. */
export async function getSystem({ params, caller }: AdminCall<'getSystem'>, shell: Shell): Promise<Answer> {
  const { state, row } = await found(shell, params.fp, caller);
  return { status: 200, body: await viewOf(shell, state, row, caller), headers: { etag: systemEtag(state) } };
}

/** Edits tags and groups of an accepted client system; fenced by If-Match when it is sent. */
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
  const { decision } = await apply(shell, rowOf(state.fp), { type: 'edit', id: request.id, ...body }, fenced);
  if (decision.does === 'nothing') throw new Refusal('refused', decision.because);
  const now = await found(shell, params.fp, caller);
  return { status: 200, body: await viewOf(shell, now.state, now.row, caller), headers: { etag: systemEtag(now.state) } };
}

/** Takes client systems off their nodes. */
export async function unregister({ body, request, caller }: AdminCall<'unregister'>, shell: Shell): Promise<Answer> {
  const { fps, rest } = await selectionOf(shell, body, 'unregister', caller);
  return { status: 200, body: { results: await revoke(shell, fps, { type: 'unregister', id: request.id }, caller), ...rest } };
}

/** Bans fingerprints, for ever. A fingerprint that is banned already counts as done, so the order can be repeated. */
export async function ban({ body, request, caller }: AdminCall<'ban'>, shell: Shell): Promise<Answer> {
  const { fps, rest } = await selectionOf(shell, body, 'ban', caller);
  return { status: 200, body: { results: await revoke(shell, fps, { type: 'ban', id: request.id }, caller), ...rest } };
}

/** By zone, 50 per commit: the rows and the revocation of their tokens together. */
async function revoke(shell: Shell, fps: readonly Fingerprint[], order: Revoking, caller: AdminCaller): Promise<Result[]> {
  const { clients, unknown } = await seenSystems(shell, fps, caller);
  const results: Result[] = unknown.map((fp) => ({ fp, done: false, because: 'this key never knocked' }));
  const moved: Fingerprint[] = [];
  const isSeen = (client: Client): boolean => seesSystem(caller, client);
  for (const [zone, members] of Map.groupBy(clients, zoneNameOf))
    for (let at = 0; at < members.length; at += revocationsPerPlanMax) {
      const part = await revokePart(shell, { zone, members: members.slice(at, at + revocationsPerPlanMax), order, isSeen });
      results.push(...part.results);
      moved.push(...part.moved);
    }
  return moved.length === 0 ? results : [...results, ...(await revoke(shell, moved, order, caller))];
}

async function found(shell: Shell, by: Fingerprint | ClusterId, caller: AdminCaller): Promise<{ state: Client; row: Row }> {
  const known = await (typeof by === 'number' ? systemRowById(shell, by) : systemRow(shell, by));
  if (!known || !seesSystem(caller, known.state)) throw unknownSystem(by);
  return known;
}

function unknownSystem(by: Fingerprint | ClusterId): Refusal {
  const why =
    typeof by === 'number' ? `no client system has the cluster id ${by}` : `no client system with the fingerprint ${by} has knocked`;
  return new Refusal('unknown-system', why);
}

const rowOf = (fp: string) => clientRef(fp);

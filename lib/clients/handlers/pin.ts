import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { seesSystem } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import type { Plan, Read } from '../../core/decision.ts';
import { Later } from '../../core/errors.ts';
import type { Fingerprint } from '../../core/ids.ts';
import type { Node } from '../../nodes/node.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Pins, pinsRef } from '../../zones/pins/pins.ts';
import { foundNode } from '../../zones/reads/found.ts';
import { forgetZone, zoneOf } from '../../zones/reads/zones.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import { type Revoked, revokedRef, type ZoneHead, zoneRef } from '../../zones/zone.ts';
import { type Client, clientRef } from '../client.ts';
import { pinnedAlready } from '../on-pin.ts';
import { pinsPerPlanMax, planPins } from '../plan-pins.ts';
import { seenSystems, zoneNameOf } from '../reads/seen.ts';
import type { ClientCommand } from '../rows/command.ts';
import { selectionOf } from './selection.ts';

type Result = { fp: string; done: boolean; busy?: true; because: string };
type Pinning = Extract<ClientCommand, { type: 'pin' | 'unpin' }>;

const neverKnocked = 'this key never knocked, or its knock has expired';

/**
 * Pins client systems to a node of their zone, each by itself. A client system that cannot be pinned has the reason as
 * its result, and the others are unaffected.
 */
export async function pinSystems({ body, request, caller }: AdminCall<'pinSystems'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, body.node, caller);
  const { index, zone, id, fqdn } = node;
  refuseGone(node);
  if (index === undefined) throw new Refusal('refused', `${fqdn} has no place in zone ${zone} yet: pin to it once it has joined`);
  const order = { type: 'pin', id: request.id, zone, index, node: id, name: fqdn, hard: !body.soft } as const;
  const { fps, rest } = await selectionOf(shell, body, `pin ${body.node} ${body.soft}`, caller);
  return { status: 200, body: { results: await onEach(shell, fps, order, caller), ...rest } };
}

/** Unpins client systems: they go by their slots again. */
export async function unpinSystems({ body, request, caller }: AdminCall<'unpinSystems'>, shell: Shell): Promise<Answer> {
  const { fps, rest } = await selectionOf(shell, body, 'unpin', caller);
  return { status: 200, body: { results: await onEach(shell, fps, { type: 'unpin', id: request.id }, caller), ...rest } };
}

/** Refuses a node that never comes back, so that no client system waits for it. */
function refuseGone({ fqdn, removedAt, replacedBy }: Node): void {
  if (replacedBy) throw new Refusal('refused', `${fqdn} is being replaced: pin to its replacement once that has joined`);
  if (removedAt !== undefined) throw new Refusal('refused', `${fqdn} was removed for good: pin to another node`);
}

/** By zone, a few per commit: the rows, the pins of the nodes, and the revocation of their tokens together. */
async function onEach(shell: Shell, fps: readonly Fingerprint[], order: Pinning, caller: AdminCaller): Promise<Result[]> {
  const { clients, unknown } = await seenSystems(shell, fps, caller);
  const results: Result[] = unknown.map((fp) => ({ fp, done: false, because: neverKnocked }));
  for (const [zone, members] of Map.groupBy(clients, zoneNameOf)) {
    if (zone === undefined) results.push(...members.map(({ fp, standing }) => ({ fp, done: false, because: notAccepted(standing) })));
    else
      for (let at = 0; at < members.length; at += pinsPerPlanMax)
        results.push(...(await onSome(shell, zone, members.slice(at, at + pinsPerPlanMax), { order, caller })));
  }
  return results;
}

const notAccepted = (standing: Client['standing']): string => (standing === 'banned' ? 'banned, for ever' : 'not accepted yet');

type Ordered = { readonly order: Pinning; readonly caller: AdminCaller };

/** `busy` is a result of some systems: failing the call would hide what was done to the others. */
async function onSome(shell: Shell, zone: string, members: readonly Client[], { order, caller }: Ordered): Promise<Result[]> {
  const part = { ...order, id: `${order.id}-${members[0]!.fp.slice(0, 16)}` };
  let clients: readonly Read<Client>[] = [];
  try {
    const loaded = await zoneOf(shell, zone);
    const plan = await applyPlan(shell, part, async (reading): Promise<Plan> => {
      clients = await rowsOf(shell, reading, members, { zone, caller });
      return planned(shell, reading, { zone, loaded, clients, part });
    });
    return members.map(({ fp }): Result => {
      const at = clients.findIndex(({ body }) => body.fp === fp);
      if (at === -1) return { fp, done: false, because: neverKnocked };
      const because = plan.because[at]!;
      const isDone = because === pinnedAlready || plan.changes.some(({ ref, decision }) => ref.id === fp && decision.does === 'write');
      return { fp, done: isDone, because };
    });
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'door.refused', { id: part.id, type: error.code, detail: error.message });
    return members.map(({ fp }) => ({ fp, done: false, busy: true, because: 'busy, try again' }));
  } finally {
    forgetZone(shell, zone);
  }
}

/** The client systems that still belong to this zone, and that the caller can see. */
async function rowsOf(
  shell: Shell,
  reading: Reading,
  members: readonly Client[],
  { zone, caller }: { readonly zone: string; readonly caller: AdminCaller },
): Promise<Read<Client>[]> {
  const rows = await reading.rows(members.map(({ fp }) => clientRef(fp)));
  return rows.flatMap((row) => {
    const body = stateOf(row, shell.now());
    return body && zoneNameOf(body) === zone && seesSystem(caller, body) ? [{ body, rev: row!.rev }] : [];
  });
}

type Part = {
  readonly zone: string;
  readonly loaded: LoadedZone | undefined;
  readonly clients: readonly Read<Client>[];
  readonly part: Pinning;
};

async function planned(shell: Shell, reading: Reading, { zone, loaded, clients, part }: Part): Promise<Plan> {
  const refs = [zoneRef(zone), revokedRef(zone), pinsRef(zone)];
  const [headRow, revokedRow, pinsRow] = await reading.rows(refs);
  const head = stateOf<ZoneHead>(headRow, shell.now());
  if (!head) throw new Refusal('unknown-zone', `zone ${zone} is gone`);
  const pins = stateOf<Pins>(pinsRow, shell.now()) ?? { version: 0, nodes: [] };
  return planPins(
    {
      clients,
      head: { body: head, rev: headRow!.rev, wakeAt: headRow!.wakeAt },
      loaded,
      revoked: { body: revokedRow?.body as Revoked | undefined, rev: revokedRow?.rev ?? 0 },
      pins: { body: pins, rev: pinsRow?.rev ?? 0 },
    },
    part,
    shell.now(),
  );
}

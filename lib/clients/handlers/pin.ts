import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { seesSystem, whereSeen } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import { nothing } from '../../core/decision.ts';
import { Later } from '../../core/errors.ts';
import type { Fingerprint } from '../../core/ids.ts';
import type { Node } from '../../nodes/node.ts';
import { apply } from '../../runtime/apply.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNode } from '../../zones/reads/found.ts';
import { pinInZone } from '../changes/pins.ts';
import { type Client, clientRef } from '../client.ts';
import { decide } from '../decide.ts';
import { settledAlready } from '../on-boot.ts';
import { pinnedAlready } from '../on-pin.ts';
import { pinsPerPlanMax } from '../plan-pins.ts';
import { seenSystems, zoneNameOf } from '../reads/seen.ts';
import type { ClientCommand } from '../rows/command.ts';
import { selectionOf } from './selection.ts';

type Result = { fp: string; done: boolean; busy?: true; because: string };
type Pinning = Extract<ClientCommand, { type: 'pin' | 'unpin' | 'settle' }>;

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
    if (zone === undefined) results.push(...(await Promise.all(members.map((one) => ofNoZone(shell, one, order, caller)))));
    else
      for (let at = 0; at < members.length; at += pinsPerPlanMax)
        results.push(...(await onSome(shell, zone, members.slice(at, at + pinsPerPlanMax), { order, caller })));
  }
  return results;
}

const ofNoZone = async (shell: Shell, { fp, standing }: Client, order: Pinning, caller: AdminCaller): Promise<Result> =>
  order.type === 'settle' && standing === 'pooled'
    ? settleWaiting(shell, fp, order, caller)
    : { fp, done: false, because: notAccepted(standing) };

const notAccepted = (standing: Client['standing']): string => (standing === 'banned' ? 'banned, for ever' : 'not accepted yet');

type Ordered = { readonly order: Pinning; readonly caller: AdminCaller };

/** `busy` is a result of some systems: failing the call would hide what was done to the others. */
async function onSome(shell: Shell, zone: string, members: readonly Client[], { order, caller }: Ordered): Promise<Result[]> {
  const part = { ...order, id: `${order.id}-${members[0]!.fp.slice(0, 16)}` };
  const isMeant = (client: Client): boolean => seesSystem(caller, client) && zoneNameOf(client) === zone;
  try {
    const { plan, clients } = await pinInZone(shell, { zone, fps: members.map(({ fp }) => fp), order: part, isMeant });
    return members.map(({ fp }): Result => {
      const at = clients.findIndex(({ body }) => body.fp === fp);
      if (at === -1) return { fp, done: false, because: neverKnocked };
      const because = plan.because[at]!;
      const isDone = alreadyDone.includes(because) || plan.changes.some(({ ref, decision }) => ref.id === fp && decision.does === 'write');
      return { fp, done: isDone, because };
    });
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'door.refused', { id: part.id, type: error.code, detail: error.message });
    return members.map(({ fp }) => ({ fp, done: false, busy: true, because: 'busy, try again' }));
  }
}

/** Reasons that change nothing, because it is so already. */
const alreadyDone: readonly string[] = [pinnedAlready, settledAlready];

/**
 * Settles client systems for which two machines ran with one key: each by itself, whether it waits or is accepted. The
 * next boot that speaks is the only one.
 */
export async function settleSystems({ body, request, caller }: AdminCall<'settleSystems'>, shell: Shell): Promise<Answer> {
  const { fps, rest } = await selectionOf(shell, body, 'settle', caller);
  const order = { type: 'settle', id: request.id } as const;
  return { status: 200, body: { results: await onEach(shell, fps, order, caller), ...rest } };
}

/** One that waits is on no node: its row alone is settled. */
async function settleWaiting(shell: Shell, fp: Fingerprint, order: ClientCommand, caller: AdminCaller): Promise<Result> {
  const ifSeen = whereSeen(caller, decide, () => nothing(neverKnocked));
  const { decision } = await apply(shell, clientRef(fp), order, ifSeen);
  return { fp, done: decision.does === 'write' || alreadyDone.includes(decision.because), because: decision.because };
}

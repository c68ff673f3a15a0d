import type { nodeRoutes } from '../api/node-routes.ts';
import { Refusal } from '../api/problem.ts';
import { type PlannedChange, write } from '../decision.ts';
import { nodeIdOf } from '../identity/fingerprint.ts';
import type { NodeId } from '../ids.ts';
import type { NodeCommand } from '../nodes/command.ts';
import { decide } from '../nodes/decide.ts';
import type { Node } from '../nodes/node.ts';
import { applyPlan, type Reading } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Answer, Call } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';
import type { EpochMs } from '../units.ts';
import { defaultZone } from '../zones/create.ts';
import { ensureDefaultZone, zoneOf } from './zones.ts';

type Routes = typeof nodeRoutes;

/** A machine joins: its row, its name and the row of whoever held that name in one commit. The same key joining again is the same node. */
export async function join({ body }: Call<Routes['join']>, shell: Shell): Promise<Answer> {
  const zone = body.zone ?? defaultZone;
  if (zone === defaultZone) await ensureDefaultZone(shell);
  if (!(await zoneOf(shell, zone)))
    throw new Refusal('unknown-zone', `no zone is called ${zone}`, { errors: [{ pointer: '/zone', detail: 'no such zone' }] });
  const id = nodeIdOf(body.publicKey);
  const command = {
    type: 'join',
    id: shell.newId(),
    node: id,
    zone,
    watch: body.watch ?? `${body.fqdn}:4505`,
    publicKey: body.publicKey,
    fqdn: body.fqdn,
    kind: body.kind,
    capacity: body.capacity,
  } as const;
  const plan = await applyPlan(shell, command, async (reading) => {
    const [nodeRow, nameRow] = await reading.rows([
      { noun: 'node', id },
      { noun: 'fqdn', id: body.fqdn },
    ]);
    const now = shell.now();
    const node = stateOf<Node>(nodeRow, now);
    const decision = decide(node, command, now);
    if (node && node.fqdn !== body.fqdn)
      throw new Refusal('refused', `this key joined as ${node.fqdn}; a name is bound at join`, {
        errors: [{ pointer: '/fqdn', detail: `bound to ${node.fqdn}` }],
      });
    if (decision.does !== 'write') return { changes: [], because: [decision.because], zone: node!.zone };
    const holder = stateOf<{ node: NodeId }>(nameRow, now)?.node;
    const replaced = holder && holder !== id ? await takeOver(reading, holder, { type: 'drop', id: command.id }, now) : [];
    const name = {
      ref: { noun: 'fqdn', id: body.fqdn as string },
      readRev: nameRow?.rev ?? 0,
      decision: write({ node: id }, `the name of ${id}`),
    };
    return {
      changes: [{ ref: { noun: 'node', id: id as string }, readRev: nodeRow?.rev ?? 0, decision }, name, ...replaced],
      because: [decision.because],
      zone,
    };
  });
  return { status: 201, body: { node: id, zone: plan.zone, nextMs: 1 } };
}

/**
 * What becomes of the node that holds the name: one that was given up stays so while the name changes hands, one that never said
 * node-up is removed, or whoever joined under a name first would keep it for ever. Throws a {@link Refusal} for a member.
 */
async function takeOver(reading: Reading, id: NodeId, drop: NodeCommand, now: EpochMs): Promise<PlannedChange[]> {
  const ref = { noun: 'node', id };
  const row = await reading.row(ref);
  const node = stateOf<Node>(row, now);
  if (!node) return [];
  const decision = decide(node, drop, now);
  if (decision.does === 'write')
    throw new Refusal(
      'fqdn-in-use',
      `${node.fqdn} is the name of node ${id}, which is ${node.status}; drop that node first if this machine takes its place`,
      { errors: [{ pointer: '/fqdn', detail: 'in use' }] },
    );
  return [{ ref, readRev: row!.rev, decision }];
}

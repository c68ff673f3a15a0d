import type { nodeRoutes } from '../api/node-routes.ts';
import { Refusal } from '../api/problem.ts';
import { write } from '../decision.ts';
import { nodeIdOf } from '../identity/fingerprint.ts';
import type { NodeId } from '../ids.ts';
import { decide } from '../nodes/decide.ts';
import type { Node } from '../nodes/node.ts';
import { applyPlan } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Answer, Call } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';
import { keyOf } from '../table/keys.ts';
import { defaultZone } from '../zones/create.ts';
import { ensureDefaultZone, zoneOf } from './zones.ts';

type Routes = typeof nodeRoutes;

/** A machine joins: its row and its name in one commit. The same key joining again is the same node. */
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
    await refuseTakenName(shell, stateOf<{ node: NodeId }>(nameRow, now)?.node, body.fqdn);
    const name = {
      ref: { noun: 'fqdn', id: body.fqdn as string },
      readRev: nameRow?.rev ?? 0,
      decision: write({ node: id }, `the name of ${id}`),
    };
    return {
      changes: [{ ref: { noun: 'node', id: id as string }, readRev: nodeRow?.rev ?? 0, decision }, name],
      because: [decision.because],
      zone,
    };
  });
  return { status: 201, body: { node: id, zone: plan.zone, nextMs: 1 } };
}

/** A name is free again when its holder was given up. */
async function refuseTakenName(shell: Shell, holder: NodeId | undefined, fqdn: string): Promise<void> {
  if (!holder) return;
  const node = (await shell.table.read(keyOf({ noun: 'node', id: holder })))?.body as Node | undefined;
  if (node && node.status !== 'dropped')
    throw new Refusal(
      'fqdn-in-use',
      `${fqdn} is the name of node ${holder}, which is ${node.status}; drop that node first if this machine takes its place`,
      {
        errors: [{ pointer: '/fqdn', detail: 'in use' }],
      },
    );
}

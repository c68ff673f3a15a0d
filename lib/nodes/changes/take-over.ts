import { Refusal } from '../../api/problem.ts';
import type { PlannedChange } from '../../core/decision.ts';
import type { NodeId, ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { NodeCommand } from '../command.ts';
import { decide } from '../decide.ts';
import { type Node, nodeRef } from '../node.ts';

/** Throws a {@link Refusal} where the node that holds a name is of another zone than this one, and was not removed. */
export function refuseForeign({ fqdn, zone: its, removedAt }: Node, zone: ZoneName): void {
  if (its !== zone && removedAt === undefined)
    throw new Refusal('fqdn-in-use', `${fqdn} is the name of a node of another zone; have that node removed there first`, {
      errors: [{ pointer: '/fqdn', detail: 'in use' }],
    });
}

/**
 * What becomes of the node that holds the name: one that was given up stays so while the name changes hands, and so
 * does one that this machine replaces; one that never said node-up is removed, or whoever joined under a name first
 * would keep it for ever. Throws a {@link Refusal} for a member, and for a node of another zone that was not removed.
 */
export async function takeOver(
  reading: Reading,
  { holder: id, by, zone }: { readonly holder: NodeId; readonly by: NodeId; readonly zone: ZoneName },
  drop: NodeCommand,
  now: EpochMs,
): Promise<PlannedChange[]> {
  const ref = nodeRef(id);
  const row = await reading.row(ref);
  const node = stateOf(row, now);
  if (!node || node.replacedBy?.node === by) return [];
  refuseForeign(node, zone);
  const decision = decide(node, drop, now);
  if (decision.does === 'write')
    throw new Refusal(
      'fqdn-in-use',
      `${node.fqdn} is the name of node ${id}, which is ${node.status}; have it replaced by this machine (node replace), or drop that node first`,
      { errors: [{ pointer: '/fqdn', detail: 'in use' }] },
    );
  return [{ ref, readRev: row!.rev, decision }];
}

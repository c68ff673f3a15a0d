import { Refusal } from '../../api/problem.ts';
import type { PlannedChange } from '../../core/decision.ts';
import type { NodeId, ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { NodeCommand } from '../command.ts';
import { decide } from '../decide.ts';
import { type Node, nodeRef } from '../node.ts';

/**
 * Throws a {@link Refusal} if the node that holds a name belongs to another zone than this one, and was not removed.
 */
export function refuseForeign({ fqdn, zone: its, removedAt }: Node, zone: ZoneName): void {
  if (its !== zone && removedAt === undefined)
    throw new Refusal('fqdn-in-use', `${fqdn} is the name of a node of another zone; have that node removed there first`, {
      errors: [{ pointer: '/fqdn', detail: 'in use' }],
    });
}

/**
 * The change to the node that holds the name. A node that was given up, or that this machine replaces, stays as it is
 * while the name changes hands. A node that never sent node-up is deleted: otherwise the first host to join under a
 * name would hold it for ever. Throws a {@link Refusal} for a member, and for a node of another zone that was not
 * removed.
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

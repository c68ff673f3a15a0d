import type { NodeUp } from '../../../events/reported/node.ts';
import { type Decision, nothing, type Plan, write } from '../../core/decision.ts';
import { type EpochMs, earlier } from '../../core/time.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { enteringZone } from '../../zones/changes/gate.ts';
import { zoneRef } from '../../zones/zone.ts';
import { decide } from '../decide.ts';
import { type Node, nodeRef } from '../node.ts';
import { fqdnRef } from '../rows/name.ts';

/** The outcome of a node-up: the decision, and the node as it is now. */
type Heard = Plan & { readonly decision: Decision<Node>; readonly node: Node | undefined };

/**
 * The node-up of a node that has flushed, decided together with its name: while the report waited, another machine may
 * have taken the name over, and client systems would be assigned to two nodes of one name. A name without a holder is
 * taken back. Throws {@link Later} when the rows stay busy.
 */
export const applyFlushed = (shell: Shell, up: NodeUp): Promise<Heard> =>
  applyPlan(shell, up, async (reading): Promise<Heard> => {
    const ref = nodeRef(up.node);
    const row = await reading.row(ref);
    const now = shell.now();
    const node = stateOf(row, now);
    const name = fqdnRef(node?.fqdn ?? up.data.facts.fqdn);
    const nameRow = await reading.row(name);
    const holder = stateOf(nameRow, now)?.node;
    const isTaken = node && holder && holder !== node.id && stateOf(await reading.row(nodeRef(holder)), now) !== undefined;
    const applicant = await asZoneWants(reading, node, now);
    const decision = isTaken ? nothing(`${node.fqdn} is now the name of node ${holder}`) : decide(applicant, up, now);
    if (decision.does !== 'write') return { changes: [], because: [decision.because], decision, node };
    const entry = await enteringZone(shell, reading, decision.next.zone, nodeRef(up.node));
    if ('shut' in entry) return { changes: [], because: [entry.shut], decision: nothing(entry.shut), node };
    // A plan sets `wakeAt` as it is decided; a report may only bring it forward.
    const wakeAt = earlier(row?.wakeAt, decision.wakeAt);
    return {
      changes: [
        { ref, readRev: row?.rev ?? 0, decision: { ...decision, ...(wakeAt !== undefined && { wakeAt }) } },
        {
          ref: name,
          readRev: nameRow?.rev ?? 0,
          decision: holder === up.node ? nothing('it still has its name') : write({ node: up.node }, `node ${up.node} has its name again`),
        },
        ...entry.changes,
      ],
      because: [decision.because],
      decision,
      node: decision.next,
    };
  });

/** A node that waits for an administrator no longer needs one once its zone readmits every node that has flushed. */
async function asZoneWants(reading: Reading, node: Node | undefined, now: EpochMs): Promise<Node | undefined> {
  if (node?.status !== 'dropped' || node.readmission === undefined || node.readmission === 'given') return node;
  const head = stateOf(await reading.row(zoneRef(node.zone)), now);
  if (head?.readmit !== 'auto') return node;
  const { readmission: _needless, ...rest } = node;
  return rest;
}

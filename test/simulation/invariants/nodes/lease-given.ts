import type { Report } from '../../../../events/catalogue.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { clockSkewMaxS } from '../../../../lib/identity/signature.ts';
import type { Invariant } from '../invariant.ts';
import { leaseOf, nodeSteps, skewMs, told } from '../rows.ts';
import { vouchedIn } from '../vouched.ts';

/**
 * How long one word keeps a node up while heartbeats are 10 s apart; no simulated world has so many nodes that they are
 * further.
 */
export const leaseMs = 38_000;

/** A node that is dead must not live on because its last words are handed out late, or again. */
export const leaseGiven: Invariant = {
  name: 'leases-count-from-the-door',
  says: 'a lease grows only by a report of the node itself or of who vouches for it, to one lease after a door or the bus first took that report and no further, and never becomes shorter',
  begin: ({ kernel, violated }) => {
    const takenAt = new Map<string, { readonly node: string; readonly at: EpochMs }>();
    let isOverheard = false;
    const take = (id: string, node: string): void => {
      // What is sent once more, as an operator does it, was taken when it was taken first.
      const first = takenAt.get(id);
      // One that somebody else makes again before it has counted counts from then: for as long as its signature is
      // taken.
      const isMadeAgain = first !== undefined && isOverheard && kernel.now - first.at <= clockSkewMaxS * 1000;
      if (!first || isMadeAgain) takenAt.set(id, { node, at: kernel.now });
    };
    return {
      logged: (_by, code, { id, row }) => {
        if (code === 'heartbeat.taken') take(String(id), String(row).replace('node ', ''));
      },
      again: () => {
        isOverheard = true;
      },
      sent: ({ body, via }) => {
        // What is vouched for counts from when the bus or a door took it last, however late a rule hands it on: a
        // sender that says it again says it anew.
        const said = vouchedIn(body);
        if (said?.node) {
          const at = said.vouched.at === undefined ? said.receivedAt! : (Date.parse(said.vouched.at) as EpochMs);
          const before = takenAt.get(said.id);
          if (!before || at > before.at) takenAt.set(said.id, { node: said.node, at });
          return;
        }
        const report = via === 'door' ? (JSON.parse(body) as Partial<Report>) : undefined;
        if (!report?.id || (report.type !== 'node.heartbeat' && report.type !== 'node.up')) return;
        take(report.id, report.node!);
      },
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const lease = leaseOf(step.after);
          const before = leaseOf(step.before);
          const sameBoot = step.before?.incarnation === step.after?.incarnation;
          if (lease !== undefined && before !== undefined && sameBoot && lease < before)
            violated(`${told(step)}: its lease became ${before - lease} ms shorter`);
          if (lease === undefined || (before !== undefined && lease <= before)) continue;
          const taken = takenAt.get(step.cause);
          // A node that comes back from down keeps the lease that it was heard with; all others are renewed by a word.
          if (taken?.node !== step.id) violated(`${told(step)}: its lease is until ${lease}, before ${before}, by no word of its own`);
          else if (lease > taken.at + leaseMs + skewMs / 2)
            violated(`${told(step)}: its lease is until ${lease}, ${lease - taken.at} ms after its report was taken`);
        }
      },
    };
  },
};

import type { Report } from '../../../../events/catalogue.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps, told } from '../rows.ts';
import { vouchedIn } from '../vouched.ts';

/** A quarantine costs an operator's night: it must mean what it says. */
export const clones: Invariant = {
  name: 'only-a-clone-is-quarantined',
  says: 'a node is quarantined as a clone only when the boot before its last one speaks again',
  begin: ({ violated }) => {
    const bootOf = new Map<string, string>();
    return {
      sent: ({ body, via }) => {
        const vouched = vouchedIn(body);
        if (vouched?.data?.boot) bootOf.set(vouched.id, vouched.data.boot.id);
        const report = via === 'door' ? (JSON.parse(body) as Partial<Report>) : undefined;
        if (report?.type === 'node.up' && report.id) bootOf.set(report.id, report.data!.boot.id);
      },
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const { before, after } = step;
          if (!before || !after || isClone(before) || !isClone(after)) continue;
          const boot = bootOf.get(step.cause);
          if (boot === undefined || boot !== before.boot?.before) violated(`${told(step)}: boot ${boot} spoke after ${before.boot?.id}`);
        }
      },
    };
  },
};

const isClone = (node: Node): boolean => 'reason' in node && node.reason === 'clone';

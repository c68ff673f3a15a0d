import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { ZoneHead } from '../../../../lib/zones/zone.ts';
import type { Watcher } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { type NodeStep, nodeSteps, told } from '../rows.ts';
import { ZoneTruth } from '../zones/zone-truth.ts';

type Call = Parameters<NonNullable<Watcher['asked']>>[0];
/** A node that was given up and has to be let in, and since when. */
type Waiting = { readonly node: Node; readonly since: number };

/** How long a call may be under way, in ms: one that was made before a node was given up may let it in after that. */
const callMs = 30_000;

/**
 * Operators look at every machine that was given up before it is used again, unless its zone says that nobody has to.
 */
export const readmitted: Invariant = {
  name: 'who-needs-a-word-waits-for-it',
  says: 'a node that was given up comes back only after an administrator, or a join token, has let it in, unless its zone says that it comes back by itself',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const waiting = new Map<string, Waiting>();
    /** When each host was last named in a call that lets hosts in, by its name or fingerprint. */
    const named = new Map<string, number>();
    const letIn = ({ at, method, path, sent }: Call): void => {
      if (method !== 'POST' || !path.endsWith('/node-pool/admit')) return;
      for (const host of (sent as { hosts?: readonly string[] }).hosts ?? []) named.set(host, at);
    };
    const isLetIn = ({ node, since }: Waiting): boolean =>
      [node.fqdn, fingerprintOf(node.publicKey)].some((host) => (named.get(host) ?? Number.NEGATIVE_INFINITY) >= since - callMs);
    const moved = (step: NodeStep, mustWait: boolean): void => {
      const { at, id, before, after } = step;
      const isOut = after?.status === 'dropped';
      if (isOut && before?.status !== 'dropped' && mustWait) waiting.set(id, { node: after, since: at });
      const waited = waiting.get(id);
      if (!waited) return;
      // Its next key may sign while it is out: it is let in by the fingerprint that it has by then.
      if (isOut) {
        waiting.set(id, { ...waited, node: after });
        return;
      }
      waiting.delete(id);
      if (after !== undefined && !isLetIn(waited)) violated(`${told(step)}: its zone readmits nobody by itself, and nobody has let it in`);
    };
    const needless = ({ name, readmit }: ZoneHead): void => {
      for (const [id, { node }] of waiting) if (node.zone === name && readmit === 'auto') waiting.delete(id);
    };
    return {
      asked: letIn,
      committed: (changes) => {
        const head = truth.take(changes)?.after.head;
        if (head) needless(head);
        const mustWait = head?.readmit === 'admin';
        const byToken = changes.some(({ after }) => after.key.sk === 'join-token');
        for (const step of nodeSteps(changes)) {
          if (byToken) waiting.delete(step.id);
          moved(step, mustWait);
        }
      },
    };
  },
};

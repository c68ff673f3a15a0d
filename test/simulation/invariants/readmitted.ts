import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import type { ZoneHead } from '../../../lib/zones/zone.ts';
import type { Watcher } from '../watching.ts';
import type { Invariant } from './invariant.ts';
import { type NodeStep, nodeSteps, told } from './rows.ts';
import { ZoneTruth } from './zone-truth.ts';

type Call = Parameters<NonNullable<Watcher['asked']>>[0];

/** Operators look at every machine that was given up before it is used again, unless its zone says that nobody has to. */
export const readmitted: Invariant = {
  name: 'who-needs-a-word-waits-for-it',
  says: 'a node that was given up comes back only after an administrator, or a join token, has let it in, unless its zone says that it comes back by itself',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const waiting = new Map<string, Node>();
    const letIn = ({ method, path, sent }: Call): void => {
      if (method !== 'POST' || !path.endsWith('/node-pool/admit')) return;
      const { hosts = [] } = sent as { hosts?: readonly string[] };
      for (const [id, { fqdn, publicKey }] of waiting)
        if (hosts.includes(fqdn) || hosts.includes(fingerprintOf(publicKey))) waiting.delete(id);
    };
    const moved = (step: NodeStep, mustWait: boolean): void => {
      const { id, before, after } = step;
      const isOut = after?.status === 'dropped';
      if (isOut && before?.status !== 'dropped' && mustWait) waiting.set(id, after);
      if (isOut || !waiting.delete(id) || after === undefined) return;
      violated(`${told(step)}: its zone readmits nobody by itself, and nobody has let it in`);
    };
    const needless = ({ name, readmit }: ZoneHead): void => {
      for (const [id, { zone }] of waiting) if (zone === name && readmit === 'auto') waiting.delete(id);
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

import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import { readLedger } from '../../../../programs/agent/ledger.ts';
import type { Watcher } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';

const line = /^\/nodes\/(n[0-9a-f]{16})\/(up|heartbeat)$/;

/**
 * A node that cannot prove who it is any more is lost with all its client systems, and nobody but a person at its
 * console brings it back.
 */
export const rotation: Invariant = {
  name: 'an-agent-is-never-locked-out',
  says: 'a node-up or heartbeat that an agent signs by the key of its ledger is never refused for its key, whatever answers were lost while it took another, as long as no copy of its folder ran, but for one that an operator removed before its next key had signed: its key from before is still on its disk',
  begin: ({ world, violated }) => {
    /**
     * Next keys that were forgotten because an operator removed the node: no key follows that of a node that is gone.
     */
    const forgotten = new Set<string>();
    const committed: Watcher['committed'] = (changes) => {
      for (const { before, after } of nodeSteps(changes))
        if (before?.nextKey !== undefined && after?.removedAt !== undefined) forgotten.add(fingerprintOf(before.nextKey));
    };
    const answered: Watcher['answered'] = ({ path, status, body, signed, line: name }) => {
      const id = line.exec(path)?.[1];
      if (id === undefined || status !== 401 || signed?.deployment !== 'simulated' || !body.includes('signature-invalid')) return;
      const host = world().hosts.find((one) => one.name === name);
      const ledger = host && readLedger(host.disk);
      if (!ledger || host.wasCloned || ledger.node !== id || fingerprintOf(ledger.publicKey) !== signed.keyId) return;
      if (ledger.oldKey !== undefined && forgotten.has(signed.keyId)) return;
      violated(`${name} signs ${path} by its key ${signed.keyId.slice(0, 8)}, and is refused`);
    };
    return { committed, answered };
  },
};

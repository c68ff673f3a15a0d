import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Answered } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';

const ofNode = /^\/nodes\/(n[0-9a-f]{16})\//;

type Keys = { readonly now: readonly string[]; readonly before: readonly string[]; readonly since: number };

/** A node is whoever holds its key: whoever else speaks for it takes its client systems away. */
export const ownKey: Invariant = {
  name: 'a-node-speaks-by-its-own-key',
  says: 'a call of a node is answered only when it was signed by the key that its row has, or names as the next; a key that another has followed is never its key again',
  begin: ({ violated }) => {
    const known = new Map<string, Keys>();
    const given = new Map<string, Set<string>>();
    const check = (call: Answered): void => {
      const id = ofNode.exec(call.path)?.[1];
      if (id === undefined || call.status >= 400) return;
      const keys = known.get(id);
      const allowed = [...(keys?.now ?? []), ...(keys && keys.since >= call.askedAt ? keys.before : [])];
      if (!allowed.includes(call.signed?.keyId ?? ''))
        violated(`${call.method} ${call.path} was answered ${call.status}, signed by ${call.signed?.keyId.slice(0, 8) ?? 'nobody'}`);
    };
    return {
      committed: (changes) => {
        for (const { at, id, before, after } of nodeSteps(changes)) {
          if (before?.publicKey === after?.publicKey && before?.nextKey === after?.nextKey) continue;
          const now = keysOf(after);
          const old = given.get(id) ?? new Set<string>();
          if (before && after && before.publicKey !== after.publicKey) old.add(fingerprintOf(before.publicKey));
          given.set(id, old);
          for (const key of now) if (old.has(key)) violated(`${id} has given ${key.slice(0, 8)} up, and it is its key again`);
          known.set(id, { now, before: keysOf(before), since: at });
        }
      },
      answered: check,
      repeated: check,
    };
  },
};

const keysOf = (node: Node | undefined): string[] =>
  node === undefined ? [] : [node.publicKey, ...(node.nextKey === undefined ? [] : [node.nextKey])].map(fingerprintOf);

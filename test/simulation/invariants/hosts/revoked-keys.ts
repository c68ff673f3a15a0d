import type { Answered } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';

/** Removing a node and giving a key up are worth nothing if whoever holds the key goes on. */
export const revokedKeys: Invariant = {
  name: 'a-revoked-key-opens-nothing',
  says: 'a call signed by a key that was revoked before, or for a node that was removed before, is refused until the host is admitted anew',
  begin: ({ violated }) => {
    const revoked = new Map<string, number>();
    const removed = new Map<string, number>();
    const check = ({ signed, path, method, status, askedAt }: Answered): void => {
      if (!signed || !path.startsWith('/nodes/') || status >= 400) return;
      const id = path.split('/')[2]!;
      const what = (revoked.get(signed.keyId) ?? askedAt) < askedAt ? `its key ${signed.keyId.slice(0, 8)} was revoked` : undefined;
      const gone = (removed.get(id) ?? askedAt) < askedAt ? 'its node was removed' : undefined;
      if (what ?? gone) violated(`${method} ${path} was answered ${status}: ${what ?? gone}`);
    };
    return {
      committed: (changes) => {
        for (const { at, after } of changes) {
          if (after.key.sk !== 'key') continue;
          const fp = after.key.pk.slice('key#'.length);
          if (!after.gone && (after.body as { state: string }).state === 'revoked') revoked.set(fp, at);
          else revoked.delete(fp);
        }
        for (const { at, id, after } of nodeSteps(changes)) {
          if (after?.removedAt === undefined) removed.delete(id);
          else if (!removed.has(id)) removed.set(id, at);
        }
      },
      answered: check,
      repeated: check,
    };
  },
};

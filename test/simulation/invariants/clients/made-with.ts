import { type ApiKey, lineageOf } from '../../../../lib/access/api-keys/api-key.ts';
import { parseSecret } from '../../../../lib/identity/secret-text.ts';
import type { Answered } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { routeOf } from './declared.ts';

/** Within how many ms a revocation is heard of everywhere, as it is stated. */
const heardWithinMs = 5_000;
/** What says that a caller was refused, or that nobody could tell. */
const turnedAway = new Set([401, 429, 503]);

/** A thief makes a key of their own while they can: the end of the one that was stolen must be the end of that, too. */
export const madeWith: Invariant = {
  name: 'what-was-revoked-with-all-it-made-opens-nothing',
  says: 'the admin API answers nobody by a key that was revoked with all that was made with it more than 5 s ago, nor by one that was made with it, in any generation and at any time',
  begin: ({ violated }) => {
    const keys = new Map<string, ApiKey>();
    const endedAt = new Map<string, number>();
    const whyEnded = ({ id, ...key }: ApiKey, askedAt: number): string | undefined => {
      const by = [id, ...lineageOf({ id, ...key }).keys].find((one) => askedAt - (endedAt.get(one) ?? askedAt) > heardWithinMs + skewMs);
      return by && `${by === id ? 'it' : `it was made with ${by}, which`} was revoked with all that was made with it`;
    };
    return {
      committed: (changes) => {
        for (const { after, at } of changes) {
          if (after.key.sk !== 'api-key') continue;
          const key = after.body as ApiKey;
          keys.set(key.id, key);
          if (key.withMade && !endedAt.has(key.id)) endedAt.set(key.id, at);
        }
      },
      answered: (call: Answered) => {
        const parts = parseSecret(call.shown['authorization']?.replace('Bearer ', '') ?? '', 'mak');
        const key = typeof parts === 'string' ? undefined : keys.get(parts.id);
        const route = routeOf(call);
        if (!key || !route || route.scope === 'anyone' || turnedAway.has(call.status)) return;
        const why = whyEnded(key, call.askedAt);
        if (why) violated(`${call.method} ${call.path} was answered ${call.status} by ${call.by} for key ${key.id}: ${why}`);
      },
    };
  },
};

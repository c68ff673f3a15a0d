import { hourMs } from '../../../../lib/core/time.ts';
import { parseSecret } from '../../../../lib/identity/secret-text.ts';
import type { Answered } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { routeOf } from './declared.ts';

/** Answers are remembered for a day; an hour less leaves no doubt. */
const rememberedMs = 23 * hourMs;

/**
 * By which API key a call was made, as far as by any: what one key has asked is nothing to another, whoever holds both.
 */
function callerOf({ shown }: Answered): string {
  const parts = parseSecret(shown['authorization']?.replace('Bearer ', '') ?? '', 'mak');
  return typeof parts === 'string' ? '' : parts.id;
}

/** Who does not know whether a call was carried out makes it again. */
export const idempotent: Invariant = {
  name: 'a-call-made-again-is-answered-the-same',
  says: 'a call with an Idempotency-Key that was answered is answered the same, to the byte, whenever it is made again, unless the answer holds a secret',
  begin: ({ violated }) => {
    const first = new Map<string, Answered>();
    return {
      answered: (call) => {
        if (call.key === undefined || call.method !== 'POST' || !call.path.startsWith('/api/v1/')) return;
        if (call.status < 200 || call.status >= 300) return;
        // A secret is kept nowhere, so that the call made again makes another.
        if (routeOf(call)?.secret) return;
        const name = `${call.key} ${callerOf(call)}`;
        const before = first.get(name);
        if (!before || call.askedAt - before.at > rememberedMs) first.set(name, call);
        else if (before.status !== call.status || before.body !== call.body)
          violated(`${call.key} (${call.path}) was answered ${before.status} ${before.body} and then ${call.status} ${call.body}`);
      },
    };
  },
};

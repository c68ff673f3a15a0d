import type { Deployment } from '../../../../lib/deployment/deployment.ts';
import type { Answered } from '../../watching.ts';
import { clientCall, signedToken } from '../client-calls.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';

/** Whoever switches something off believes that it is off. */
export const switches: Invariant = {
  name: 'what-is-switched-off-is-not-answered',
  says: 'without a token of its own nobody is told where a machine stands once open calls are switched off, and a knock that nobody signed is taken only while some zone allows it; settings are as old as a cached zone at the most',
  begin: ({ violated, world }) => {
    /** Since when each is off. Nobody needs an order for unsigned clients to be refused. */
    let closedAt = Number.POSITIVE_INFINITY;
    let signedAt = Number.NEGATIVE_INFINITY;
    const wrongly = (call: Answered): string | undefined => {
      const about = clientCall(call);
      const { vault, zoneMaxAgeMs } = world().cluster;
      if (!about || call.status >= 300) return undefined;
      const heardAt = call.askedAt - zoneMaxAgeMs - skewMs;
      if (about.name === 'knock') return !call.signed && signedAt < heardAt ? 'nobody signed it, and no zone allows that' : undefined;
      return !signedToken(call.token, vault.all) && closedAt < heardAt ? 'it came without a token, and open calls are off' : undefined;
    };
    return {
      committed: (changes) => {
        for (const { at, after } of changes) {
          if (after.key.sk !== 'deployment') continue;
          const { openCalls, unsignedZones = [] } = after.body as Deployment;
          closedAt = openCalls === false ? Math.min(closedAt, at) : Number.POSITIVE_INFINITY;
          const isAllowed = unsignedZones.length > 0;
          signedAt = isAllowed ? Number.POSITIVE_INFINITY : Math.min(signedAt, at);
        }
      },
      answered: (call) => {
        const wrong = wrongly(call);
        if (wrong) violated(`${call.method} ${call.path} was answered ${call.status} ${call.body} by ${call.by}: ${wrong}`);
      },
    };
  },
};

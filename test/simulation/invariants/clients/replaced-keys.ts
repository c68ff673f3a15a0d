import { minuteMs } from '../../../../lib/core/time.ts';
import { tokenLifeS } from '../../../../lib/identity/token.ts';
import type { Answered } from '../../watching.ts';
import { clientCall, signedToken } from '../client-calls.ts';
import { type ClientPast, ClientTruth } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';

/**
 * Two keys in so short a time are more than environments can have heard of: whoever forces that makes machines knock.
 */
const apartMs = minuteMs;

/** Keys are replaced because that costs nothing; a fleet that knocked all at once would be a cost. */
export const replacedKeys: Invariant = {
  name: 'a-replaced-key-goes-unnoticed',
  says: 'a token of the key that signs, or of the one before it, holds: nobody who comes with one that was not revoked, was given since the deployment was last restored and has not run out is made to knock, unless another boot has spoken since, or another machine has its key',
  begin: ({ violated, world }) => {
    const clients = new ClientTruth();
    let restoredAt = Number.NEGATIVE_INFINITY;
    const isGood = (call: Answered): boolean => {
      const about = clientCall(call);
      const { vault } = world().cluster;
      const token = about && about.name !== 'knock' ? signedToken(call.token, vault.all) : undefined;
      const client = about && clients.of(about.fp);
      if (!token || !client?.fp.startsWith(token.fp) || client.fp !== about!.fp || isRevoked(client, token.issuedAtS)) return false;
      const isYoung = (token.issuedAtS + tokenLifeS) * 1000 > call.at + skewMs;
      const isHasty = vault.madeAt.some((at, n) => n > 0 && at - vault.madeAt[n - 1]! < apartMs);
      const isOfBefore = token.issuedAtS * 1000 - skewMs <= restoredAt;
      return isYoung && !isOfBefore && !isHasty && !vault.retiredAt.has(token.key);
    };
    /** It names its boot, and another has spoken since: of a machine with its key, or one that was long under way. */
    const isOfTwo = (call: Answered): boolean => {
      const boot = call.shown['muster-boot'];
      const client = clients.of(clientCall(call)!.fp);
      if (boot === undefined || !client) return false;
      const present = client.row.boots?.last[0]?.id;
      return (present !== undefined && present !== boot) || world().systems.some((one) => one.fp === client.fp && one.wasCopied);
    };
    return {
      committed: clients.take.bind(clients),
      restored: (at) => {
        restoredAt = at;
      },
      answered: (call) => {
        if (call.headers['muster-knock'] === '1' && isGood(call) && !isOfTwo(call))
          violated(`${clientCall(call)!.fp.slice(0, 8)} came with a token that holds, and ${call.by} made it knock`);
      },
    };
  },
};

/** It was banned or unregistered once, or pinned otherwise since its token was signed. */
const isRevoked = ({ revocations, pins }: ClientPast, issuedAtS: number): boolean =>
  revocations.length > 0 || pins.some(({ from }) => from >= issuedAtS * 1000 - skewMs);

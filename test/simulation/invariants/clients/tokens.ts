import { noIndex, type Token, tokenLifeS } from '../../../../lib/identity/token.ts';
import type { Answered } from '../../watching.ts';
import { clientCall, signedToken } from '../client-calls.ts';
import { type ClientPast, ClientTruth, isWithin } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';

/**
 * A token is answered by for a week without a look at the row: what it says must have been so, and a revocation must
 * reach it.
 */
export const tokens: Invariant = {
  name: 'tokens-say-what-the-row-says',
  says: 'only accepted machines are given tokens, which say what the row said; one that was revoked, is of a retired key, was given before its zone was restored or has run out is worth nothing once caches are as old as they may be',
  begin: ({ violated, world }) => {
    const clients = new ClientTruth();
    let restoredAt: number | undefined;
    const given = (call: Answered, client: ClientPast | undefined, token: Token | undefined): void => {
      const wrong = token ? wronglyGiven(call, client, token) : 'it is none of ours';
      if (wrong) violated(`${clientCall(call)!.fp.slice(0, 8)} was given a token by ${call.by} (${JSON.stringify(token)}): ${wrong}`);
    };
    const used = (call: Answered, client: ClientPast, token: Token & { readonly key: number }): void => {
      const { vault, zoneMaxAgeMs } = world().cluster;
      const retiredAt = vault.retiredAt.get(token.key) ?? Number.POSITIVE_INFINITY;
      const isOfRetired = call.askedAt - retiredAt > vault.believedForMs + skewMs;
      const moment = call.askedAt - zoneMaxAgeMs - skewMs;
      const isOfBefore = restoredAt !== undefined && restoredAt < moment && (token.issuedAtS + 1) * 1000 + skewMs < restoredAt;
      const why = isOfRetired ? 'is of a retired key' : isOfBefore ? 'is of an earlier epoch' : worthless(token, client, moment);
      if (!why || call.status >= 300) return;
      const got = call.headers['muster-token'] !== undefined;
      if (got) violated(`${client.fp.slice(0, 8)} was given another token for one that ${why}`);
      // Whoever was accepted only while the call was answered was not to be told.
      const wasAccepted = client.row.standing === 'accepted' && (client.acceptedAt ?? call.askedAt) < call.askedAt;
      if (wasAccepted && call.headers['muster-knock'] !== '1')
        violated(`${client.fp.slice(0, 8)} came with a token that ${why}, and was not told to knock`);
    };
    return {
      committed: clients.take.bind(clients),
      restored: (at) => {
        restoredAt = at;
      },
      answered: (call) => {
        const about = clientCall(call);
        if (!about) return;
        const client = clients.of(about.fp);
        const { vault: keys } = world().cluster;
        const text = call.headers['muster-token'];
        if (text !== undefined) given(call, client, signedToken(text, keys.all));
        const sent = about.name === 'knock' ? undefined : signedToken(call.token, keys.all);
        if (sent && client) used(call, client, sent);
      },
    };
  },
};

function wronglyGiven(call: Answered, client: ClientPast | undefined, token: Token): string | undefined {
  if (client?.acceptedAt === undefined || client.acceptedAt > call.at) return 'nobody had accepted it';
  if (client.bannedAt !== undefined && client.bannedAt < call.askedAt) return 'it was banned';
  if (!client.fp.startsWith(token.fp)) return 'it is for another machine';
  const stays = client.stays.filter((stay) => isWithin(stay, call));
  if (token.index === noIndex)
    return stays.some(({ from, endedAt = Number.POSITIVE_INFINITY }) => from < call.askedAt && endedAt > call.at)
      ? 'it was told a node'
      : undefined;
  const said = stays.find(({ told }) => told.index === token.index && told.generation === token.generation);
  if (!said) return 'its row says another node';
  return token.confirmed && said.confirmedAt === undefined ? 'nobody had confirmed it' : undefined;
}

/**
 * Why a token was worth nothing at that moment already, with no doubt of clocks; undefined when it may have been worth
 * something.
 */
function worthless({ issuedAtS, fp: of }: Token, { revocations, fp }: ClientPast, moment: number): string | undefined {
  if (!fp.startsWith(of)) return 'is of another machine';
  if ((issuedAtS + tokenLifeS + 1) * 1000 < moment) return 'had run out';
  const revoked = revocations.some((at) => at < moment && (issuedAtS + 1) * 1000 + skewMs < at);
  return revoked ? 'was revoked' : undefined;
}

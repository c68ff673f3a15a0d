import type { EpochMs } from '../../core/time.ts';
import { mintToken, noIndex, readToken, type Token, tokenKeyId, tokenLifeS } from '../../identity/token.ts';
import type { Shell } from '../../runtime/shell.ts';
import { zoneByNumber } from '../../zones/reads/zones.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import type { Client, ClientIn } from '../client.ts';
import { clientRow } from '../reads/rows.ts';
import { pinnedOf, placementOf, tokenHolds } from '../rows/status.ts';
import { codeOf } from './token-code.ts';

/**
 * A valid token with its zone: signed by Muster, of the epoch of the zone, younger than its life, not revoked, and made
 * for this fingerprint.
 */
export async function heldToken(
  shell: Shell,
  text: string | undefined,
  fp: string,
): Promise<{ token: Token; zone: LoadedZone } | undefined> {
  const keyId = text === undefined ? undefined : tokenKeyId(text);
  const key = keyId === undefined ? undefined : await shell.keys.byId(keyId);
  const token = key && readToken(text!, key, codeOf(shell, key));
  if (!token || token.fp !== fp.slice(0, 32)) return undefined;
  const zone = await zoneByNumber(shell, token.zone, token.mapVersion);
  if (!zone || !tokenHolds(zone, token, Math.floor(shell.now() / 1000), tokenLifeS)) return undefined;
  return { token, zone };
}

/**
 * The clocks of two environments differ by less than this: a token must not appear younger than a revocation that came
 * after it.
 */
const clocksApartS = 1;

/**
 * A token with the content of the row and the version of the map that the answer rests on, and the client that it
 * describes: the answer must be about that client. The token counts from the moment of the call, before its row was
 * read, so that a revocation since then revokes it too. There is no token when the client is no longer accepted.
 */
export async function tokenFor(
  shell: Shell,
  client: ClientIn<'accepted'>,
  zone: LoadedZone,
  { covered, askedAt }: { readonly covered: boolean; readonly askedAt: EpochMs },
): Promise<{ readonly token?: string; readonly client: Client | undefined }> {
  const issuedAtS = Math.floor(askedAt / 1000) - clocksApartS;
  const fromS = tokensFromS(zone, client.fp);
  if (issuedAtS >= fromS) return { token: await minted(shell, client, zone, { covered, issuedAtS }), client };
  // It was revoked just now, and the row may be from before that. The row that is there now is later, and its token
  // counts from the next second.
  const now = (await clientRow(shell, client.fp))?.state;
  if (now?.standing !== 'accepted') return { client: now };
  return { token: await minted(shell, now, zone, { covered, issuedAtS: fromS }), client: now };
}

/** From when on the tokens of a client are valid, as far as this zone knows, in seconds. */
const tokensFromS = ({ revokedAt, tokensBefore }: LoadedZone, fp: string): number =>
  Math.max(tokensBefore, (revokedAt.get(Number.parseInt(fp.slice(0, 8), 16)) ?? -1) + 1);

async function minted(
  shell: Shell,
  client: ClientIn<'accepted'>,
  zone: LoadedZone,
  { covered, issuedAtS }: { covered: boolean; issuedAtS: number },
): Promise<string> {
  const key = await shell.keys.current();
  const told = placementOf(client as Client);
  const { pin, soft } = pinnedOf(client as Client);
  return mintToken(
    {
      fp: client.fp.slice(0, 32),
      zone: zone.head.number,
      index: told?.index ?? noIndex,
      generation: told?.generation ?? 0,
      pin,
      soft,
      mapVersion: zone.head.version,
      epoch: zone.head.epoch,
      issuedAtS,
      confirmed: told?.confirmed ?? false,
      covered,
    },
    key,
    codeOf(shell, key),
  );
}

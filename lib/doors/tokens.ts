import type { Client, ClientIn } from '../clients/client.ts';
import { pinOf, placementOf, tokenHolds } from '../clients/status.ts';
import { mintToken, noIndex, readToken, type Token, tokenKeyId, tokenLifeS } from '../identity/token.ts';
import type { TokenKey } from '../keys/keys.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import type { LoadedZone } from '../zones/loaded.ts';
import { zoneByNumber } from './zones.ts';

const keysOf = (shell: Shell): Map<number, TokenKey> => cached(shell, 'token-keys', () => new Map());

/** A key that this environment has met already; never waits. */
export const metKey = (shell: Shell, id: number): TokenKey | undefined => keysOf(shell).get(id);

/** The key with this id, remembered once met. */
export async function keyById(shell: Shell, id: number): Promise<TokenKey | undefined> {
  const met = metKey(shell, id);
  if (met) return met;
  const key = await shell.keys.byId(id);
  if (key) keysOf(shell).set(id, key);
  return key;
}

/** A valid token with its zone: signed by us, of the zone's epoch, younger than its life, not revoked, and made for this fingerprint. */
export async function heldToken(
  shell: Shell,
  text: string | undefined,
  fp: string,
): Promise<{ token: Token; zone: LoadedZone } | undefined> {
  const keyId = text === undefined ? undefined : tokenKeyId(text);
  const key = keyId === undefined ? undefined : await keyById(shell, keyId);
  const token = key && readToken(text!, key);
  if (!token || token.fp !== fp.slice(0, 32)) return undefined;
  const zone = await zoneByNumber(shell, token.zone, token.mapVersion);
  if (!zone || !tokenHolds(zone, token, Math.floor(shell.now() / 1000), tokenLifeS)) return undefined;
  return { token, zone };
}

/** A token that says what the row says, and which map the answer rested on. */
export async function tokenFor(shell: Shell, client: ClientIn<'accepted'>, zone: LoadedZone, covered: boolean): Promise<string> {
  const key = await shell.keys.current();
  keysOf(shell).set(key.id, key);
  const told = placementOf(client as Client);
  return mintToken(
    {
      fp: client.fp.slice(0, 32),
      zone: zone.head.number,
      index: told?.index ?? noIndex,
      generation: told?.generation ?? 0,
      pin: pinOf(client),
      mapVersion: zone.head.version,
      epoch: zone.head.epoch,
      issuedAtS: issuedAtS(zone, client.fp, Math.floor(shell.now() / 1000)),
      confirmed: told?.confirmed ?? false,
      covered,
    },
    key,
  );
}

/** A token minted in the very second of its client's revocation would be as none for ever; it counts from the next one. */
const issuedAtS = ({ revokedAt, tokensBefore }: LoadedZone, fp: string, nowS: number): number =>
  Math.max(nowS, tokensBefore, (revokedAt.get(Number.parseInt(fp.slice(0, 8), 16)) ?? -1) + 1);

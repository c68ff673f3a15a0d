import { clientHeaders } from '../api/client-routes.ts';
import { heldBy, isHeld, statusBytes, tokenHolds, tokenStatus, waitsFor } from '../clients/status.ts';
import { readToken, tokenKeyId, tokenLifeS } from '../identity/token.ts';
import type { HttpRequest, Reply } from '../runtime/function.ts';
import type { Shell } from '../runtime/shell.ts';
import { lostSecondsOf, nextSeconds, renewAfterS } from './intervals.ts';
import { freshZoneByNumber } from './zones.ts';

/** A query that holds a fingerprint and nothing else, with or without (encoded) colons. */
const fpOnly = /^fp=([0-9a-fA-F]{64}|(?:[0-9a-fA-F]{2}(?::|%3[aA])){31}[0-9a-fA-F]{2})$/;

/**
 * The status of a client with a confirmed token, from this environment's own memory: no read, no wait. This is what a fleet asks all
 * day; it declines (undefined) whatever is not exactly that, and the door's usual way answers.
 */
export function quickStatus(request: HttpRequest, shell: Shell): Reply | undefined {
  if (request.method !== 'GET' || request.path !== '/system/status') return undefined;
  const text = request.header(clientHeaders.token);
  const query = text === undefined ? null : fpOnly.exec(request.query);
  const keyId = query === null ? undefined : tokenKeyId(text!);
  const key = keyId === undefined ? undefined : shell.keys.known(keyId);
  const token = key && readToken(text!, key);
  if (!token?.confirmed) return undefined;
  const fp = query![1]!.length === 64 ? query![1]! : query![1]!.replaceAll(/:|%3a/gi, '');
  if (!fp.toLowerCase().startsWith(token.fp)) return undefined;
  const zone = freshZoneByNumber(shell, token.zone);
  const now = shell.now();
  const nowS = Math.floor(now / 1000);
  if (!zone || zone.head.version < token.mapVersion || nowS - token.issuedAtS >= renewAfterS(token.covered)) return undefined;
  if (!tokenHolds(zone, token, nowS, tokenLifeS)) return undefined;
  const lostS = lostSecondsOf(request.header(clientHeaders.lost));
  const asked = { now, lost: lostS !== undefined };
  const status = tokenStatus(zone, token, asked);
  const turnAt = waitsFor(zone, token, now);
  const next = nextSeconds(status, {
    now,
    random: shell.random(),
    covered: token.covered,
    lostS,
    turnAt,
    held: isHeld(zone, heldBy(token), asked),
  });
  return { status: 200, headers: { 'content-type': 'text/plain', [clientHeaders.next]: String(next) }, body: statusBytes[status] };
}

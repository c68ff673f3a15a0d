import { readToken, tokenKeyId, tokenLifeS } from '../../identity/token.ts';
import type { HttpRequest } from '../../runtime/function.ts';
import type { Reply } from '../../runtime/reply.ts';
import type { Shell } from '../../runtime/shell.ts';
import { freshZoneByNumber } from '../../zones/reads/zones.ts';
import { lostSecondsOf, nextSeconds, renewAfterS } from '../intervals.ts';
import { clientHeaders } from '../routes.ts';
import { heldBy, isHeld, placedStatus, statusBytes, tokenHolds, turnTimes, waitsFor } from '../rows/status.ts';
import { mayBeSilent } from '../silence/reads.ts';
import { codeOf } from './token-code.ts';

/** A query that holds a fingerprint and nothing else, without and with (encoded) colons. */
const plainFp = /^fp=[0-9a-fA-F]{64}$/;
const pairedFp = /^fp=(?:[0-9a-fA-F]{2}(?::|%3[aA])){31}[0-9a-fA-F]{2}$/;

/** That fingerprint as the query has it, without colons. */
function fpIn(query: string): string | undefined {
  if (plainFp.test(query)) return query.slice(3);
  return pairedFp.test(query) ? query.slice(3).replaceAll(/:|%3a/gi, '') : undefined;
}

/**
 * The status of a client with a confirmed token, from the memory of this environment alone: without a read or a wait.
 * Nearly all calls of a fleet are of this kind. For any other call it gives undefined, and the usual handler answers.
 */
export function quickStatus(request: HttpRequest, shell: Shell): Reply | undefined {
  if (request.method !== 'GET' || request.path !== '/system/status') return undefined;
  const text = request.header(clientHeaders.token);
  const fp = text === undefined ? undefined : fpIn(request.query);
  const keyId = fp === undefined ? undefined : tokenKeyId(text!);
  const key = keyId === undefined ? undefined : shell.keys.known(keyId);
  const token = key && readToken(text!, key, codeOf(shell, key));
  if (!token?.confirmed || !fp!.toLowerCase().startsWith(token.fp)) return undefined;
  const zone = freshZoneByNumber(shell, token.zone);
  const now = shell.now();
  const nowS = Math.floor(now / 1000);
  if (!zone || zone.head.version < token.mapVersion || nowS - token.issuedAtS >= renewAfterS(token.covered)) return undefined;
  if (!tokenHolds(zone, token, nowS, tokenLifeS)) return undefined;
  // The call of a client system that its node no longer sees is written.
  const node = token.covered ? zone.members[token.index]?.node : undefined;
  if (node !== undefined && mayBeSilent(shell, node, token.fp) !== false) return undefined;
  const lostS = lostSecondsOf(request.header(clientHeaders.lost));
  const asked = { now, lost: lostS !== undefined };
  const placed = heldBy(token);
  const status = placedStatus(zone, placed, asked);
  const next = nextSeconds(status, {
    now,
    random: shell.random(),
    covered: token.covered,
    lostS,
    ...turnTimes(zone, placed, waitsFor(zone, placed, now), now),
    held: isHeld(zone, placed, asked),
  });
  return { status: 200, headers: { 'content-type': 'text/plain', [clientHeaders.next]: String(next) }, body: statusBytes[status] };
}

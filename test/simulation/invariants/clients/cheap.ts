import { dayMs } from '../../../../lib/core/time.ts';
import type { TokenKey } from '../../../../lib/ports/keys/keys.ts';
import type { Answered } from '../../watching.ts';
import { clientCall, signedToken } from '../client-calls.ts';
import type { Invariant } from '../invariant.ts';

/** A confirmed token is renewed after three and a half days where the node sees its client, else hourly. */
const freshMs = { covered: 3.5 * dayMs, uncovered: 3_600_000 };

/**
 * Rows that a call may read of what it is about, at the most; zones and settings, which are cached, are not counted.
 */
const rowsMax: Readonly<Record<string, number>> = {
  // Its row, the one it leads to, its node's digest and list with two pages.
  status: 6,
  // The node and what it should run; with a digest the head of its lists and the digest before. The node again where it
  // was not alive a moment ago.
  heartbeat: 5,
};

/** A fleet asks all day, and each row read is paid for. */
export const cheap: Invariant = {
  name: 'calls-cost-what-is-said',
  says: 'a status call with a token that holds reads no row of a client or node, but for those that a node no longer sees, one without few; a heartbeat reads five rows of its node at most before it is decided upon, unless it is that of a station',
  begin: ({ violated, world }) => {
    const rows = new Map<string, number>();
    const taking = new Set<string>();
    /** Calls whose heartbeat the door decides upon: what that reads again depends on who else writes. */
    const deciding = new Set<string>();
    return {
      read: (by, { pk, sk }) => {
        // Services begin and end with what a station says.
        if (sk === 'stations') deciding.add(by);
        // The first call that a node's next key signs takes it, and reads whose it is.
        if (pk.startsWith('key#')) taking.add(by);
        if (deciding.has(by)) return;
        // Which client systems a node no longer sees is read every few minutes, for all of its calls.
        if (sk === 'silence') return;
        if (pk.startsWith('client#') || pk.startsWith('node#')) rows.set(by, (rows.get(by) ?? 0) + 1);
      },
      logged: (by, code) => {
        if (code === 'heartbeat.taken') deciding.add(by);
      },
      repeated: ({ by }) => {
        rows.delete(by);
        deciding.delete(by);
        taking.delete(by);
      },
      answered: (call) => {
        const read = rows.get(call.by) ?? 0;
        rows.delete(call.by);
        deciding.delete(call.by);
        if (taking.delete(call.by)) return;
        // The embedded host answers many at once: whose reads these are nobody can tell.
        if (call.by.startsWith('host-')) return;
        const kind = clientCall(call)?.name ?? (call.path.endsWith('/heartbeat') ? 'heartbeat' : '');
        const most = kind === 'status' && isHeld(call, world().cluster.vault.all) ? 0 : rowsMax[kind];
        if (most !== undefined && read > most) violated(`${kind} was answered ${call.status} after ${read} rows, ${most} at most`);
      },
    };
  },
};

/**
 * The token was believed: no other came with the answer, no word to knock for one, and not that the machine is banned.
 */
function isHeld(call: Answered, keys: ReadonlyMap<number, TokenKey>): boolean {
  const { token: text, headers, askedAt, status, body } = call;
  const token = signedToken(text, keys);
  if (token && !clientCall(call)?.fp.startsWith(token.fp)) return false;
  if (status !== 200 || body === '3' || !token?.confirmed || headers['muster-token'] !== undefined || headers['muster-knock'] !== undefined)
    return false;
  return askedAt - token.issuedAtS * 1000 < freshMs[token.covered ? 'covered' : 'uncovered'];
}

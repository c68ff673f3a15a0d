import { nothing, type Plan, type PlannedChange, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { tokenLifeS } from '../identity/token.ts';
import type { Pins } from '../zones/pins/pins.ts';
import { type Revoked, revokedRef } from '../zones/zone.ts';
import { type Client, clientRef } from './client.ts';
import { decide } from './decide.ts';
import { noMoves, pinChangesOf, pinsChange, type Read } from './pin-changes.ts';
import type { ClientCommand } from './rows/command.ts';

/**
 * The most client rows per commit: with the list of revocations far below the 100 rows of a transaction, and quick to
 * repeat on a conflict.
 */
export const revocationsPerPlanMax = 50;
/** Above this many, revocations fold into `tokensBefore`: a reader should have to re-read at most 16 KB. */
export const revocationsMax = 2_000;

/** The input of bans and unregistrations: client rows of one zone, or of none, and the revocations of the zone. */
export type RevocationSnapshot = {
  readonly clients: readonly { readonly body: Client; readonly rev: number }[];
  readonly zone?: {
    readonly name: string;
    readonly revoked: Revoked | undefined;
    readonly rev: number;
    /** The pins of its nodes; only needed when one of these client systems is pinned. */
    readonly pins?: Read<Pins> | undefined;
  };
};

/**
 * Bans or unregisters up to 50 client systems of one zone: their rows and the revocation of their tokens, in one
 * commit.
 */
export function planRevocations(
  { clients, zone }: RevocationSnapshot,
  command: Extract<ClientCommand, { type: 'ban' | 'unregister' }>,
  now: EpochMs,
): Plan {
  const changes = clients.map(
    ({ body, rev }): PlannedChange => ({ ref: clientRef(body.fp), readRev: rev, decision: decide(body, command, now) }),
  );
  const written = changes.filter((change) => change.decision.does === 'write');
  if (written.length === 0 || !zone) return { changes: written, because: changes.map((change) => change.decision.because) };
  const nowS = Math.floor(now / 1000);
  const next = withRevocations(
    zone.revoked,
    written.map((change) => change.ref.id),
    nowS,
  );
  const because = `${written.length} ${command.type === 'ban' ? 'banned' : 'unregistered'}`;
  const freed = written.flatMap(({ ref, decision }) => {
    const was = clients.find(({ body }) => body.fp === ref.id)!.body;
    return decision.does === 'write' ? pinChangesOf(was, decision.next as Client) : [];
  });
  return {
    changes: [
      {
        ref: revokedRef(zone.name),
        readRev: zone.rev,
        decision: next ? write<Revoked, never>(next, because) : nothing(because),
      },
      ...(freed.length > 0 ? [pinsChange(zone.name, zone.pins, { changes: freed, pinZone: noMoves, because }, now)] : []),
      ...written,
    ],
    because: changes.map((change) => change.decision.because),
  };
}

/**
 * The list with these fingerprints added, without those older than the life of a token. A list that would grow too long
 * is folded.
 */
export function withRevocations(before: Revoked | undefined, fps: readonly string[], nowS: number): Revoked {
  const version = (before?.version ?? 0) + 1;
  const recent: [number, number][] = [];
  if (before) {
    const view = new DataView(before.entries.buffer, before.entries.byteOffset, before.entries.byteLength);
    for (let i = 0; i < before.entries.length; i += 8)
      if (view.getUint32(i + 4) + tokenLifeS >= nowS) recent.push([view.getUint32(i), view.getUint32(i + 4)]);
  }
  const tokensBefore = before?.tokensBefore ?? 0;
  const last = new Map(recent);
  const added = fps.map((fp): [number, number] => {
    const top = Number.parseInt(fp.slice(0, 8), 16);
    // A token minted in the second of an earlier revocation counts from the next second. Only a revocation at least as
    // late revokes it.
    return [top, Math.max(nowS, tokensBefore, (last.get(top) ?? -1) + 1)];
  });
  const all = [...recent, ...added];
  if (all.length > revocationsMax) return { version, entries: new Uint8Array(0), tokensBefore: 1 + Math.max(...all.map(([, at]) => at)) };
  const entries = new Uint8Array(all.length * 8);
  const view = new DataView(entries.buffer);
  all.forEach(([top, at], i) => {
    view.setUint32(i * 8, top);
    view.setUint32(i * 8 + 4, at);
  });
  return { version, entries, tokensBefore };
}

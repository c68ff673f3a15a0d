import * as z from 'zod';
import type { NodeHeartbeat } from '../../../events/reported/node.ts';
import { type Decision, nothing, write } from '../../core/decision.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs, minuteMs } from '../../core/time.ts';

const Bits = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'bytes');
const One = z.strictObject({ listVersion: z.int().nonnegative(), bits: Bits, /** When the endpoint received it. */ at: EpochMs });

/**
 * The client systems that a node sees, as one bit per entry of a list version; with the digest before it, because one
 * digest may miss a client by chance.
 */
export const DigestRow = One.extend({ before: One.optional() });
export type DigestRow = z.infer<typeof DigestRow>;
/** The digest row of a node, by its id. */
export const digestRef = refOf('digest', DigestRow);

/** A digest over a list of 100,000 clients has 12.5 KB; a larger one is a mistake. */
const bitsMax = 16 * 1024;

/**
 * A digest without news is written nevertheless when the one on record is this old, because a digest received before a
 * client was assigned to its node does not confirm that client. Five minutes: one write per node, of up to 13 units, in
 * the time in which its heartbeats make thirty.
 */
const refreshMs = 5 * minuteMs;

/** A node's digest, one row, one writer: its own heartbeats. */
export function decideDigest(row: DigestRow | undefined, heartbeat: NodeHeartbeat): Decision<DigestRow> {
  const digest = heartbeat.data.digest;
  if (!digest) return nothing('a heartbeat without a digest');
  if (row && heartbeat.receivedAt <= row.at) return nothing('a digest received before the one on record');
  const bits = new Uint8Array(Buffer.from(digest.bits, 'base64'));
  if (bits.length > bitsMax) return nothing(`a digest of ${bits.length} B, ${bitsMax} at most`);
  const now = { listVersion: digest.listVersion, bits, at: heartbeat.receivedAt };
  if (!row) return write<DigestRow, never>(now, 'the first digest of the node');
  const isSame = shows(row, now) && (!row.before || shows(row.before, row));
  if (isSame && heartbeat.receivedAt - row.at < refreshMs) return nothing('the node sees the same clients as before');
  const { before: _older, ...before } = row;
  return write<DigestRow, never>(
    { ...now, before },
    isSame ? 'the node still sees the same clients' : 'the node sees other clients than before',
  );
}

/** Whether two digests report the same of the same list. */
const shows = (one: z.infer<typeof One>, other: z.infer<typeof One>): boolean =>
  one.listVersion === other.listVersion && Buffer.compare(one.bits, other.bits) === 0;

/**
 * The digests of a node that were received after a moment; undefined when there are none. A client is confirmed by
 * digests received after it was assigned to its node. Those are of the node's present generation, too: a node that
 * comes back as new has another incarnation, without which its heartbeats are refused, and no client is assigned to it
 * before.
 */
export function receivedAfter(row: DigestRow, moment: EpochMs): DigestRow | undefined {
  if (row.at <= moment) return undefined;
  const { before, ...newest } = row;
  return before && before.at > moment ? row : newest;
}

/** Whether bit `position` of a list version is set in the newest digest of that version, or in the one before it. */
export const digestShows = (row: DigestRow | undefined, listVersion: number, position: number): boolean =>
  row !== undefined &&
  [row, row.before].some((one) => one?.listVersion === listVersion && ((one.bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0);

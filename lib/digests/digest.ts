import * as z from 'zod';
import type { NodeHeartbeat } from '../../events/reported/node.ts';
import { type Decision, nothing, write } from '../decision.ts';
import { EpochMs } from '../units.ts';

const Bits = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'bytes');
const One = z.strictObject({ listVersion: z.int().nonnegative(), bits: Bits });

/** Which client systems a node sees: one bit per entry of a list version; the digest before it, because one may miss a client by chance. */
export const DigestRow = One.extend({ at: EpochMs, before: One.optional() });
export type DigestRow = z.infer<typeof DigestRow>;

/** A digest over a list of 100,000 clients has 12.5 KB; a larger one is a mistake. */
const bitsMax = 16 * 1024;

/** A node's digest, one row, one writer: its own heartbeats. */
export function decideDigest(row: DigestRow | undefined, beat: NodeHeartbeat): Decision<DigestRow> {
  const digest = beat.data.digest;
  if (!digest) return nothing('a heartbeat without a digest');
  if (row && beat.receivedAt <= row.at) return nothing('a digest received before the one on record');
  const bits = new Uint8Array(Buffer.from(digest.bits, 'base64'));
  if (bits.length > bitsMax) return nothing(`a digest of ${bits.length} B, ${bitsMax} at most`);
  const same = row?.listVersion === digest.listVersion && Buffer.compare(row.bits, bits) === 0;
  if (same && (!row.before || (row.before.listVersion === row.listVersion && Buffer.compare(row.before.bits, bits) === 0)))
    return nothing('the node sees the same clients as before');
  const before = row && { listVersion: row.listVersion, bits: row.bits };
  return write<DigestRow, never>(
    { listVersion: digest.listVersion, bits, at: beat.receivedAt, ...(before && { before }) },
    'the node sees other clients than before',
  );
}

/** Whether bit `position` of a list version is set in the newest digest of that version, or in the one before it. */
export const digestShows = (row: DigestRow | undefined, listVersion: number, position: number): boolean =>
  row !== undefined &&
  [row, row.before].some((one) => one?.listVersion === listVersion && ((one.bits[position >> 3] ?? 0) & (1 << (position & 7))) !== 0);

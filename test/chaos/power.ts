import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Keeper } from './keeper.ts';

/** How the power went: what was left of the log that had not been waited for. */
export type Cut = { readonly tailBytes: number; readonly lostBytes: number };

const [db, wal] = ['muster.db', 'muster.db-wal'] as const;

/**
 * Leaves in `to` what a power cut would have left of a state folder, and calls `mark` at the moment that counts:
 * whatever was answered by then must be there. With the host stopped in its tracks the files are looked at, and a
 * moment later, when it has written more, copied. All that was answered by the first look was waited for
 * (`synchronous = FULL`) and so is in what that look saw; of what the log has grown by since, a power cut may lose any
 * end. It is cut off at a random byte, unless the host has begun to fold the log into the file meanwhile: SQLite waits
 * for the log before it does, so that no power cut leaves that fold and takes the log's end.
 */
export async function cutPower(home: string, to: string, keeper: Keeper, random: () => number, mark: () => void): Promise<Cut> {
  const before = keeper.frozen(() => {
    mark();
    return looked(home);
  });
  await new Promise((resolve) => setTimeout(resolve, 5 + random() * 40));
  const after = keeper.frozen(() => {
    const files = readdirSync(home, { withFileTypes: true }).filter((one) => one.isFile());
    for (const { name } of files) copyFileSync(join(home, name), join(to, name));
    return looked(home);
  });
  const folded = before.salts !== after.salts || before.foldedAt !== after.foldedAt;
  const tailBytes = folded ? 0 : after.logEnd - before.logEnd;
  const lostBytes = Math.floor(random() * (tailBytes + 1));
  if (lostBytes > 0) truncateSync(join(to, wal), after.logEnd - lostBytes);
  return { tailBytes, lostBytes };
}

/** Where the log ends and since when it is this log, and when the file beside it was last written. */
type Looked = { readonly logEnd: number; readonly salts: string; readonly foldedAt: bigint };

const [headerBytes, frameHeaderBytes] = [32, 24] as const;

/**
 * The log's file is not cut when the log begins anew: it ends with the last frame that carries the salts of its header
 * (https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
 */
function looked(home: string): Looked {
  const log = readFileSync(join(home, wal));
  const salts = log.toString('hex', 16, 24);
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8);
  let logEnd = headerBytes;
  while (logEnd + frameBytes <= log.length && log.toString('hex', logEnd + 8, logEnd + 16) === salts) logEnd += frameBytes;
  return { logEnd, salts, foldedAt: statSync(join(home, db), { bigint: true }).mtimeNs };
}

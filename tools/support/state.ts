import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Every byte of every row by its key. Rows that only time writes (the sweep's, the counts), and used nonces, are left
 * out.
 */
export type Stored = Readonly<Record<string, string>>;

const byTime = /^deployment\|sweep$|\|counts$|^nonce#/;

/**
 * The content of the state file of a folder. The file is locked for its host, so a copy is read; nothing is written
 * meanwhile in the host's own process, because copying waits for nothing.
 */
export function storedIn(home: string): Stored {
  const folder = mkdtempSync(join(tmpdir(), 'muster-copy-'));
  try {
    for (const suffix of ['', '-wal'])
      if (existsSync(join(home, `muster.db${suffix}`))) copyFileSync(join(home, `muster.db${suffix}`), join(folder, `copy.db${suffix}`));
    const db = new DatabaseSync(join(folder, 'copy.db'));
    const rows = db.prepare('SELECT pk, sk, attributes FROM rows ORDER BY pk, sk').all();
    db.close();
    return Object.fromEntries(
      rows.flatMap(({ pk, sk, attributes }) => (byTime.test(`${pk}|${sk}`) ? [] : [[`${pk}|${sk}`, String(attributes)]])),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The rows that are new or have changed. */
export const changedSince = (before: Stored, now: Stored): Stored => ({
  ...Object.fromEntries(Object.entries(now).filter(([key, row]) => before[key] !== row)),
  ...Object.fromEntries(Object.keys(before).flatMap((key) => (key in now ? [] : [[key, 'removed']]))),
});

import { createHash } from 'node:crypto';
import { type ProcessTable, type TableEntry, tableMax } from '../../events/reported/process.ts';
import type { Held } from './state.ts';

/** Hex digits of the hash of a table: Muster compares it with one other, so 64 bits are plenty. */
const hashDigits = 16;

/** What runs here as Muster is told it: whatever has a life, by fid, and a hash of that list. */
export function shownTable(held: Iterable<Held>): ProcessTable {
  const processes = [...held]
    .flatMap(({ process, is, life }): TableEntry[] => (is === 'idle' || !life ? [] : [{ process, ...life, state: is }]))
    .sort((a, b) => (a.process < b.process ? -1 : 1))
    .slice(0, tableMax);
  const canonical = JSON.stringify(processes.map(({ process, pid, born, state }) => [process, pid, born, state]));
  return { hash: createHash('sha256').update(canonical).digest('hex').slice(0, hashDigits), processes };
}

import { createHash } from 'node:crypto';
import { type ProcessTable, type RunningService, servicesMax, type TableEntry, tableMax } from '../../../events/reported/process.ts';
import type { Held } from './state.ts';

/** Hex digits of the hash of a table: Muster compares it with one other, so 64 bits are plenty. */
const hashDigits = 16;

/**
 * The table of what runs here, as reported to Muster: the processes with a life, by fid, the services that run, and a
 * hash of both lists.
 */
export function reportedTable(held: Iterable<Held>, running: readonly RunningService[] = []): ProcessTable {
  const processes = [...held]
    .flatMap(({ process, is, life }): TableEntry[] => (is === 'idle' || !life ? [] : [{ process, ...life, state: is }]))
    .sort((a, b) => (a.process < b.process ? -1 : 1))
    .slice(0, tableMax);
  const services = [...running].sort((a, b) => (a.service < b.service ? -1 : 1)).slice(0, servicesMax);
  const listed = processes.map(({ process, pid, born, state }) => [process, pid, born, state]);
  const served = services.map(({ service, instance, pid, born, state }) => [service, instance, pid, born, state]);
  // Without services the hash is the same as that of agents without support for services.
  const canonical = JSON.stringify(served.length === 0 ? listed : [listed, served]);
  const hash = createHash('sha256').update(canonical).digest('hex').slice(0, hashDigits);
  return { hash, processes, ...(services.length > 0 && { services }) };
}

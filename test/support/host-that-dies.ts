import { writeSync } from 'node:fs';
import type { MemoryBus } from '../../lib/ports/bus/memory.ts';
import { startHost } from '../../programs/local/host.ts';

/*
 * An embedded host that is killed when the first event of a type is about to go out: after its row was committed,
 * before anybody has heard of it. Arguments: the state folder, and the type. It prints the event's id and dies.
 */
const [home, type] = process.argv.slice(2) as [string, string];
const host = await startHost({
  port: 0,
  home,
  deployment: 'local',
  beatMinMs: 1_000,
  admitEveryMs: 0,
  logLevel: 'error',
  sweepPeriodMs: 50,
});
(host.shell.bus as MemoryBus).subscribe((event) => {
  if (event.type !== type) return;
  writeSync(1, `dies with ${event.id}\n`);
  process.kill(process.pid, 'SIGKILL');
});
console.log(`Muster is at ${host.url}, and will die`);

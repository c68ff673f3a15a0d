import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EpochMs } from '../../lib/core/time.ts';
import { kernelBoot } from '../../programs/agent/facts.ts';
import { type Lives, livesOf } from '../../programs/agent/processes/born.ts';
import type { Life } from '../../programs/agent/supervised/thing.ts';

/** How long a process may take to end when asked, in ms. */
const patienceMs = 3_000;
const lookMs = 50;

/**
 * Ends the processes that an agent has started and that still run, by the files in this folder, once the agent itself
 * has ended. Each is asked first, and killed after a while. `begun` is the number of processes to expect: each child
 * writes its file before it becomes its program, and the one begun last may not have done so yet.
 */
export async function endStarted(folder: string, begun: number): Promise<void> {
  const lives = livesOf(kernelBoot(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), Date.now() as EpochMs, uptime()));
  const all = (): Life[] =>
    existsSync(folder) ? readdirSync(folder).flatMap((file) => (file.endsWith('.pid') ? lifeIn(join(folder, file), lives) : [])) : [];
  const living = () => all().filter((life) => lives.isOn(life));
  const until = Date.now() + patienceMs;
  while (Date.now() < until && (living().length > 0 || all().length < begun)) {
    for (const { pid } of living()) signal(pid, 'SIGTERM');
    await sleep(lookMs);
  }
  for (const { pid } of living()) signal(pid, 'SIGKILL');
}

const lifeIn = (file: string, lives: Lives): Life[] => {
  const life = lives.in(readFileSync(file, 'utf8'));
  return life ? [life] : [];
};

/** Signals a process, or a group by its negative number, that may have ended meanwhile. */
export function signal(pid: number, what: NodeJS.Signals): void {
  try {
    process.kill(pid, what);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

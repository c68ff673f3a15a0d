import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/**
 * Ends whatever is left of a process group, which is known by the pid of the process that began it. Nothing where there
 * is none any more.
 */
export function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Runs a program in a process group of its own. After `limitMs`, or once somebody kills it, whatever it has started is
 * killed, too, and its output is closed: what it leaves behind would keep that open for as long as it lives, also where
 * the program itself has ended long since.
 */
export function spawnGroup(
  file: string,
  args: readonly string[],
  { limitMs, ...options }: SpawnOptions & { readonly limitMs: number },
): ChildProcess {
  const child = spawn(file, args, { ...options, detached: true });
  const end = (): void => {
    if (child.pid !== undefined) endGroup(child.pid);
    // Whatever has left the group may keep the output open for ever.
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  };
  const late = AbortSignal.timeout(limitMs);
  late.addEventListener('abort', end);
  for (const over of ['error', 'close']) child.once(over, () => late.removeEventListener('abort', end));
  child.once('exit', () => child.killed && end());
  return child;
}

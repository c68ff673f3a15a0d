import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

/**
 * Ends the rest of a process group, which has the pid of the process that began it. Does nothing if the group is gone.
 */
export function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Runs a program in a process group of its own. After `limitMs`, or once the program is killed, everything that it has
 * started is killed too, and its output is closed. Processes that it leaves behind would keep the output open as long
 * as they run, even after the program itself has ended.
 */
export function spawnGroup(
  file: string,
  args: readonly string[],
  { limitMs, ...options }: SpawnOptions & { readonly limitMs: number },
): ChildProcess {
  const child = spawn(file, args, { ...options, detached: true });
  const end = (): void => {
    if (child.pid !== undefined) endGroup(child.pid);
    // A process that has left the group may keep the output open forever.
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  };
  const late = AbortSignal.timeout(limitMs);
  late.addEventListener('abort', end);
  for (const over of ['error', 'close']) child.once(over, () => late.removeEventListener('abort', end));
  child.once('exit', () => child.killed && end());
  return child;
}

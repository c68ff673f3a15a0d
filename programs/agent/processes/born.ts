import { readFileSync } from 'node:fs';
import type { Life } from '../supervised/thing.ts';

/** The field of `/proc/<pid>/stat` with the start of a process, in clock ticks since the boot (proc_pid_stat(5)). */
const starttime = 22;

/** Reads the kernel's line about a pid; undefined when there is no such process. */
export type ReadStat = (pid: number) => string | undefined;

/** Reads `/proc/<pid>/stat`. */
export const statOf: ReadStat = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
};

/** Distinguishes the lives of processes on a host under one boot of the kernel. */
export type Lives = {
  /** The life of a pid; undefined when nothing runs under it. */
  of(pid: number): Life | undefined;
  /** The life that a line of `/proc/<pid>/stat` describes; undefined for any other text. */
  in(stat: string): Life | undefined;
  /**
   * The life of a unit that has no process of its own, such as a mounted file system. It lasts as long as the service
   * manager reports this invocation.
   */
  ofUnit(invocation: string): Life;
  /** Whether the kernel still runs this life: a pid that was given to another process is another life. */
  isOn(life: Life): boolean;
};

/** Reads lives by the kernel's own table; `kernel` names its boot. */
export function livesOf(kernel: string, read: ReadStat = statOf): Lives {
  // Both boot and ticks: after a reboot the same daemon may have the same pid and the same hundredth of a second.
  const boot = kernel.slice(0, 8);
  const lifeIn = (stat: string): Life | undefined => {
    // The name in parentheses may have blanks and parentheses in it.
    const [pid, rest] = [Number.parseInt(stat, 10), stat.slice(stat.lastIndexOf(')') + 2).split(' ')];
    const [state, ticks] = [rest[0], rest[starttime - 3]];
    // A zombie has ended; only its exit status waits to be read.
    return Number.isInteger(pid) && ticks !== undefined && state !== 'Z' && state !== 'X' ? { pid, born: `${boot}.${ticks}` } : undefined;
  };
  const of = (pid: number) => {
    const stat = read(pid);
    return stat === undefined ? undefined : lifeIn(stat);
  };
  const units = `unit.${boot}.`;
  return {
    of,
    in: lifeIn,
    ofUnit: (invocation) => ({ pid: 1, born: `${units}${invocation}`.slice(0, 64) }),
    isOn: ({ pid, born }) => born.startsWith(units) || of(pid)?.born === born,
  };
}

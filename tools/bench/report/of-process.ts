import { readFileSync } from 'node:fs';

/** The most memory that a process ever had, in MiB, as the kernel counts it. */
export const peakMib = (pid: number): number => Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;

/** Processor time that a process has had, in ms, to 10 ms. */
export function cpuMs(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

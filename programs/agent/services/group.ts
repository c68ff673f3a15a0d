import { readdirSync, readFileSync } from 'node:fs';
import { endGroup } from '../../../lib/machine/group.ts';
import type { Environment } from '../processes/children.ts';

/**
 * Ends the rest of a group whose first process an earlier agent started, and whose end no agent saw. The number may
 * belong to another group by now, so one of its members must have been started with these variables. A member that has
 * cleared its environment does not count.
 */
export function endLeftGroup(pid: number, variables: Environment): void {
  if (membersOf(pid).some((member) => isStartedWith(member, variables))) endGroup(pid);
}

/** The pids of the processes in a group (proc_pid_stat(5): after the name come the state, the parent and the group). */
const membersOf = (group: number): number[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^[0-9]+$/.test(name)) return [];
    const stat = textOf(`/proc/${name}/stat`);
    const [state, , of] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(of) === group && state !== 'Z' && state !== 'X' ? [Number(name)] : [];
  });

function isStartedWith(pid: number, variables: Environment): boolean {
  const own = new Set(textOf(`/proc/${pid}/environ`).split('\0'));
  return Object.entries(variables).every(([name, value]) => own.has(`${name}=${value}`));
}

/** A file of the kernel about a process; empty for one that has ended, or that belongs to another user. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

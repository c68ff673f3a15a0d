import { ServiceTypeName } from '../../core/ids.ts';

/** What looks for the other hosts on each station of a zone, and what acts on site on the one that coordinates. */
export const recoverySupervisor = ServiceTypeName.parse('recovery-supervisor');
export const recoveryCoordinator = ServiceTypeName.parse('recovery-coordinator');

/** Whether services of a type begin and end by what Muster decides alone, and never by hand. */
export const isOwnWork = (type: string): boolean => type === recoverySupervisor || type === recoveryCoordinator;

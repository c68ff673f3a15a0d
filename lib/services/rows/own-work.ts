import { ServiceTypeName } from '../../core/ids.ts';

/**
 * The service that looks for the other hosts, on each station of a zone, and the service that acts on site, on the
 * station that coordinates.
 */
export const recoverySupervisor = ServiceTypeName.parse('recovery-supervisor');
export const recoveryCoordinator = ServiceTypeName.parse('recovery-coordinator');

/** Whether only Muster starts and stops the services of a type, and no operator can. */
export const isOwnWork = (type: string): boolean => type === recoverySupervisor || type === recoveryCoordinator;

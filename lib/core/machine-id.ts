import { hash } from 'node:crypto';

/**
 * The hash under which a machine id is stored, as hex: a machine chooses its id freely, so the id itself cannot name a
 * row.
 */
export const machineIdHash = (machineId: string): string => hash('sha256', machineId, 'hex');

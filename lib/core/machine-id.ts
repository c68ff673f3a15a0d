import { createHash } from 'node:crypto';

/** What a machine id is kept under, as hex: a machine says what it likes, and that is no name for a row. */
export const machineIdHash = (machineId: string): string => createHash('sha256').update(machineId, 'utf8').digest('hex');

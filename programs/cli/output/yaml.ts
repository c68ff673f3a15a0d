import { stringify } from 'yaml';

/** A value as YAML. Only a command with -o yaml loads this. */
export const yaml = (value: unknown): string => stringify(value, { lineWidth: 0 });

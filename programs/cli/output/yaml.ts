import { stringify } from 'yaml';

/** A value as YAML. It is loaded by whoever asks for that, and by no other command. */
export const yaml = (value: unknown): string => stringify(value, { lineWidth: 0 });

import type { ProblemType } from './problem.ts';

/** What every call that a machine signs may be refused for, whatever it asks (see docs/security.md). */
export const signatureProblems = [
  'signature-missing',
  'signature-profile',
  'signature-coverage',
  'signature-invalid',
  'digest-mismatch',
  'clock-skew',
] as const satisfies readonly ProblemType[];

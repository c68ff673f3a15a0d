import type { ProblemType } from './problem.ts';

/** The problems by which any call that a machine signs may be refused (see docs/security.md). */
export const signatureProblems = [
  'signature-missing',
  'signature-profile',
  'signature-coverage',
  'signature-invalid',
  'digest-mismatch',
  'clock-skew',
] as const satisfies readonly ProblemType[];

const between = 'something between this host and Muster changes calls: look for a proxy that rewrites paths, bodies or headers';

/** What the operator of this host can do about a refusal that does not end by itself, by problem. */
const advice: Readonly<Record<string, string>> = {
  'signature-invalid':
    'Muster knows this node by another key. The folder belongs to another node or another Muster, or is older than the newest key. Restore the newest folder, or remove it to join as a new node',
  'signature-missing': between,
  'signature-profile': between,
  'signature-coverage': between,
  'digest-mismatch': between,
  'clock-skew': 'the clock of this host jumps: check its time service',
  'key-in-use': 'another machine uses this key: the folder was copied. Remove the folder here, and this host makes its own key',
  'weak-key': 'remove the folder, and this host makes another key',
};

/** The advice on a problem as the end of a sentence; empty when there is none. */
export const adviceOn = (problem: string): string => (Object.hasOwn(advice, problem) ? `; ${advice[problem]}` : '');

const between = 'something between this host and Muster changes calls: look for a proxy that rewrites paths, bodies or headers';

/** What whoever runs this host can do about a refusal that will not end by itself; undefined for any other. */
const advice: Readonly<Record<string, string>> = {
  'signature-invalid':
    'Muster knows this node by another key: the folder is another node’s, of another Muster, or older than its newest key. Put the newest one back, or remove it to join as a new node',
  'signature-missing': between,
  'signature-profile': between,
  'signature-coverage': between,
  'digest-mismatch': between,
  'clock-skew': 'the clock of this host jumps: look after its time service',
  'key-in-use': 'another machine has this key: the folder was copied. Remove it here, and this host makes a key of its own',
  'weak-key': 'remove the folder, and this host makes another key',
};

/** The advice on a problem as the end of a sentence; empty when there is none. */
export const adviceOn = (problem: string): string => (Object.hasOwn(advice, problem) ? `; ${advice[problem]}` : '');

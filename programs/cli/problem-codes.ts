import type { ProblemType } from '../../lib/api/problem.ts';
import type { exitCodes } from './exit-codes.ts';

/** An exit code by its name. */
export type ExitCodeName = keyof typeof exitCodes;

/** Refusals that end a command with the same code, and why with this one. */
type Group = { readonly code: ExitCodeName; readonly because: string; readonly problems: readonly ProblemType[] };

/**
 * The exit code of every refusal, with its reason; a refusal for something unknown may be left to its status. Scripts
 * repeat a command on 75 until it succeeds: a refusal that lasts must have another code.
 */
export const problemCodes: readonly Group[] = [
  {
    code: 'tryAgain',
    because: 'another operation is under way, or Muster has too much to do: the same command may succeed later, or after a new read',
    problems: ['busy', 'rate-limited', 'onboarding-rate', 'in-progress', 'version-conflict', 'not-yet', 'nonce-reused', 'no-quorum'],
  },
  {
    code: 'failed',
    because: 'the thing that the command is about does not allow it: another command, or its owner, must change that first',
    problems: [
      'refused',
      'other-facts',
      'not-a-storage-zone',
      'fqdn-in-use',
      'key-in-use',
      'removed',
      'name-taken',
      'type-shut-out',
      'service-not-running',
      'stations-differ',
      'matches-changed',
    ],
  },
  {
    code: 'failed',
    because: 'the refusal is for the agent of a node, which handles it, or for the operator of that node',
    problems: ['send-node-up', 'must-rejoin', 'quarantined', 'key-cloned', 'vouched-for'],
  },
  {
    code: 'failed',
    because: 'nothing has the name that was given',
    problems: [
      ...([
        'not-found',
        'unknown-node',
        'unknown-system',
        'unknown-metadata',
        'unknown-zone',
        'unknown-dead-letter',
        'unknown-token',
      ] as const),
      ...([
        'unknown-key',
        'unknown-webhook',
        'unknown-host',
        'unknown-process',
        'unknown-role',
        'unknown-load',
        'unknown-rule',
        'unknown-service-type',
      ] as const),
    ],
  },
  {
    code: 'failed',
    because: 'the command line and Muster do not understand each other, or Muster has a fault: other arguments or rights do not help',
    problems: [
      'malformed-json',
      'malformed-call',
      'bad-query',
      'bad-cursor',
      'changes-expired',
      'wrong-method',
      'misdirected',
      'unsupported-media-type',
      'content-encoding',
      'unexpected',
    ],
  },
  {
    code: 'usage',
    because: 'an argument is not valid: the command needs other arguments',
    problems: [
      ...(['too-large', 'unknown-field', 'unknown-type', 'invalid', 'private-target', 'weak-key', 'unsupported-key'] as const),
      ...(['fingerprint-mismatch', 'proof-invalid', 'idempotency-mismatch', 'configuration-invalid', 'unknown-message'] as const),
    ],
  },
  {
    code: 'notAllowed',
    because: 'the caller is unknown or lacks the right: another caller must ask, or an administrator must allow it',
    problems: [
      ...(['signature-missing', 'signature-profile', 'signature-coverage', 'signature-invalid', 'digest-mismatch', 'clock-skew'] as const),
      ...(['join-denied', 'sign-in-needed', 'bearer-invalid', 'insufficient-scope', 'cross-site', 'not-owner', 'watch-not-own'] as const),
      'other-session',
    ],
  },
];

const codes: ReadonlyMap<string, ExitCodeName> = new Map(
  problemCodes.flatMap(({ code, problems }) => problems.map((type) => [type, code] as const)),
);

/** The exit code of a refusal, by its slug; of one that only a newer Muster knows, by its HTTP status. */
export const codeOfProblem = (type: string, status: number): ExitCodeName => codes.get(type) ?? codeOfStatus(status);

function codeOfStatus(status: number): ExitCodeName {
  if (status === 401 || status === 403) return 'notAllowed';
  if (status === 412 || status === 429 || status === 503) return 'tryAgain';
  return status === 413 || status === 422 ? 'usage' : 'failed';
}

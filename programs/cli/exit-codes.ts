import { type Problem, problemTypeOf } from '../../lib/api/problem.ts';
import { codeOfProblem } from './problem-codes.ts';

/** The exit codes, for scripts; 69, 75 and 77 are those of sysexits.h, 130 is a shell's for Ctrl-C. */
export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 69, tryAgain: 75, notAllowed: 77, interrupted: 130 } as const;
/** One of them; or the code of a service's own check, status or message, which is passed on as OCF has it. */
export type ExitCode = number;

/** The failure of a command: one clear sentence, what to do about it, and the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;
  readonly advice: string | undefined;
  /** The type of the API's refusal, such as `busy`; undefined for a failure that is no refusal. */
  readonly problem: string | undefined;

  constructor(exitCode: ExitCode, message: string, advice?: string, problem?: string) {
    super(message);
    this.problem = problem;
    this.exitCode = exitCode;
    this.advice = advice;
  }
}

/** A refusal of the API as a failure of the command. `retryAfter` is the header of that name, in seconds. */
export function failureOf(problem: Problem, retryAfter?: string | null): Failure {
  const type = problemTypeOf(problem);
  return new Failure(exitCodes[codeOfProblem(type, problem.status)], problem.detail || problem.title, adviceOn(problem, retryAfter), type);
}

/** The result for one of several things that were ordered at once. */
type Result = { readonly done: boolean; readonly busy?: true | undefined };

/**
 * Throws a {@link Failure} unless everything was done: with exit code 75 only when something was busy, because a script
 * that tries again on 75 must come to an end. `done` completes "2 of 5 not …".
 */
export function refuseUndone(results: readonly Result[], done: string, advice?: string): void {
  const undone = results.filter((result) => !result.done);
  if (undone.length === 0) return;
  const exitCode = undone.some(({ busy }) => busy) ? exitCodes.tryAgain : exitCodes.failed;
  throw new Failure(exitCode, `${undone.length} of ${results.length} not ${done}`, advice);
}

function adviceOn({ type, status, instance }: Problem, retryAfter?: string | null): string | undefined {
  switch (type.slice(type.lastIndexOf(':') + 1)) {
    case 'unknown-node':
      return 'List the nodes: node list';
    case 'unknown-system':
      return 'List client systems: system list, onboarding list';
    case 'unknown-dead-letter':
      return 'List dead letters: dlq list';
    case 'sign-in-needed':
      return 'Sign in: login. Beside an embedded host, run the command in its folder, or set MUSTER_HOME to its state folder';
    case 'bearer-invalid':
      return 'Sign out with logout and sign in again with login, or set another MUSTER_TOKEN';
    case 'unknown-key':
      return 'List API keys: key list';
    case 'unknown-zone':
      return 'List the zones: zone list';
    case 'version-conflict':
      return 'It changed after it was read: read it again, and repeat the command';
    case 'matches-changed':
      return 'Repeat the command: it shows what matches now';
    case 'busy':
      return `Try again${retryAfter ? ` in ${retryAfter} s` : ''}`;
    case 'unexpected':
      return `Look for ${instance} in the log of Muster`;
  }
  if (status === 401 || status === 403) return 'Ask an administrator for the scope this command needs';
  return undefined;
}

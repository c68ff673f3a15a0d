import type { Fid } from '../../../lib/core/fid.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import type { Life } from '../supervised/thing.ts';
import type { Held } from './state.ts';

/** The outcome of a start. The life of the process may be known only later, when the agent sees it. */
export type Began =
  | { readonly ok: true; readonly life?: Life }
  /** `refused`: the host's own configuration does not allow it to run. */
  | { readonly ok: false; readonly why: string; readonly refused?: true };

/** A process as it was found: absent, with its exit code as far as that is known, or in one of its lives. */
export type Seen =
  | { readonly is: 'absent'; readonly exit?: number; readonly why?: string }
  | { readonly is: 'starting' | 'online' | 'stopping'; readonly life?: Life };

/** What was found of each process; nothing is known of one that is missing in `seen`. */
export type Look = { readonly ok: true; readonly seen: ReadonlyMap<Fid, Seen> } | { readonly ok: false; readonly why: string };

/**
 * Runs processes on this host. No method waits for a process, and none rejects for anything that a process or an
 * operator can cause.
 */
export type Runner = {
  /** Starts a process, with the contents of its configuration file. */
  start(process: DesiredProcess): Promise<Began>;
  /** Asks a process to stop; resolves without waiting for its end. */
  stop(held: Held): Promise<Ran>;
  /**
   * Kills a process that did not stop in its time; resolves without waiting for its end. Gives the reason where this
   * runner does not kill.
   */
  kill(held: Held): Promise<Ran>;
  /** Finds out the present state of these processes. */
  look(held: readonly Held[]): Promise<Look>;
  /** Has `then` called when a process has ended, where the runner notices that by itself. */
  onEnd(then: () => void): void;
};

/** Names that are safe in the names of units and of files in one folder; others could lead out of the folder. */
const prefixForm = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** The reason why this prefix cannot be part of a name; undefined when it can. */
export const faultOfPrefix = (prefix: string): string | undefined =>
  prefixForm.test(prefix) ? undefined : `“${prefix}” cannot be part of the name of a unit or a file`;

/** Names of variables that environment files and every shell accept. */
const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that make loaders, shells and interpreters run other code: setting one brings a command to the host. */
const runsMore = new RegExp(
  `^(?:${[
    '(?:LD|DYLD|BASH|LUA|JAVA|_JAVA|JDK|OPENSSL|GIT)_.*|(?:PYTHON|PERL|RUBY)[A-Z0-9]*|NODE_(?:OPTIONS|PATH)',
    'PATH|IFS|ENV|BASHOPTS|SHELLOPTS|PS4|PROMPT_COMMAND|ZDOTDIR|GCONV_PATH|GLIBC_TUNABLES|CLASSPATH',
  ].join('|')})$`,
);

/** The reason why no process may run with one of these variables, whatever sets it; undefined when all are allowed. */
export function faultOfEnvironment(environment: DesiredProcess['environment']): string | undefined {
  const wrong = environment.find(({ name, value }) => !nameForm.test(name) || runsMore.test(name) || value.includes('\0'));
  return wrong && `this host runs no process with the variable “${wrong.name}”: it can make the process run other code`;
}

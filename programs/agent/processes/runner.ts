import type { Fid } from '../../../lib/core/fid.ts';
import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import type { Life } from '../supervised/thing.ts';
import type { Held } from './state.ts';

/** What came of telling a process to start. Its life may be known only later, when it is seen. */
export type Began =
  | { readonly ok: true; readonly life?: Life }
  /** `refused`: the host's own configuration keeps it from being run. */
  | { readonly ok: false; readonly why: string; readonly refused?: true };

/** A process as it was found: not there, with what it ended with as far as that is known, or in one of its lives. */
export type Seen =
  | { readonly is: 'absent'; readonly exit?: number; readonly why?: string }
  | { readonly is: 'starting' | 'online' | 'stopping'; readonly life?: Life };

/** What was found of each; one that is not among them cannot be told about. */
export type Look = { readonly ok: true; readonly seen: ReadonlyMap<Fid, Seen> } | { readonly ok: false; readonly why: string };

/**
 * How processes are run on this host. No verb waits for a process, and none rejects for what a process or an operator
 * can do to it.
 */
export type Runner = {
  /** Tells it to start, with what its configuration file holds. */
  start(process: DesiredProcess): Promise<Began>;
  /** Tells it to stop; gives at once. */
  stop(held: Held): Promise<Ran>;
  /**
   * Kills one that was told to stop and has not in its time; gives at once. Why not, where that is nothing that this
   * runner does.
   */
  kill(held: Held): Promise<Ran>;
  /** Finds out what has become of these. */
  look(held: readonly Held[]): Promise<Look>;
  /** Calls when something has ended, where the runner hears of it by itself. */
  onEnd(then: () => void): void;
};

/** Names of units and of files in one folder; anything else could be a way out of it. */
const prefixForm = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Why nothing can be called by this prefix; undefined when it can. */
export const faultOfPrefix = (prefix: string): string | undefined =>
  prefixForm.test(prefix) ? undefined : `“${prefix}” cannot be part of the name of a unit or a file`;

/** A variable that a file of variables and every shell take for one. */
const nameForm = /^[A-Za-z_][A-Za-z0-9_]*$/;
/**
 * Variables by which loaders, shells and interpreters are told what else to run: whoever names one brings a command to
 * the host.
 */
const runsMore = new RegExp(
  `^(?:${[
    '(?:LD|DYLD|BASH|LUA|JAVA|_JAVA|JDK|OPENSSL|GIT)_.*|(?:PYTHON|PERL|RUBY)[A-Z0-9]*|NODE_(?:OPTIONS|PATH)',
    'PATH|IFS|ENV|BASHOPTS|SHELLOPTS|PS4|PROMPT_COMMAND|ZDOTDIR|GCONV_PATH|GLIBC_TUNABLES|CLASSPATH',
  ].join('|')})$`,
);

/**
 * Why a process is not run with a variable of these, whoever says that it is to have it; undefined when it is run with
 * all of them.
 */
export function faultOfEnvironment(environment: DesiredProcess['environment']): string | undefined {
  const wrong = environment.find(({ name, value }) => !nameForm.test(name) || runsMore.test(name) || value.includes('\0'));
  return wrong && `this host runs no process with the variable “${wrong.name}”: such a variable can say what else is run`;
}

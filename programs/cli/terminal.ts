import type { RunEnd, RunGiven } from './running.ts';

/** All that the command line may touch of the machine it runs on; tests give their own. */
export type Terminal = {
  /** The name it was called by: muster, halonctl or hctl. */
  readonly name: string;
  /** Data, to standard output. */
  readonly out: (text: string) => void;
  /** Talk, to standard error. */
  readonly err: (text: string) => void;
  /**
   * Asks a person and resolves to the answer; undefined without a terminal. Throws {@link Interrupted} on Ctrl-C.
   */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Whether data, and whether talk, may carry colours. */
  readonly colours: { readonly out: boolean; readonly err: boolean };
  /** Columns of the terminal; undefined when there is none. */
  readonly columns: number | undefined;
  /**
   * The text of a file, for - all of the standard input, however slowly it comes; undefined when it does not exist, or
   * this user may not read it.
   */
  readonly read: (path: string) => Promise<string | undefined>;
  /**
   * The text of a file that is this user's alone; undefined when it does not exist. Throws NotOurs for one that others
   * made or may change.
   */
  readonly readOwn: (path: string) => string | undefined;
  /** Whether a line of talk can be replaced by the next: standard error is a terminal that understands how. */
  readonly rewrites: boolean;
  /**
   * Calls `then` at the first Ctrl-C instead of ending, until the returned function is called; a second Ctrl-C ends the
   * program all the same.
   */
  readonly onInterrupt: (then: () => void) => () => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Shows an address in the person's browser, if there is one; never waits for it. */
  readonly open: (url: string) => void;
  /** Runs a program, its words as they are, and resolves when it has ended or was ended. */
  readonly run: (words: readonly [string, ...string[]], given: RunGiven) => Promise<RunEnd>;
  /** Waits; ends early, with an error, when `signal` does. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** A text that no other call of this or another command has: by it Muster knows a call that is made again. */
  readonly newKey: () => string;
  /** Milliseconds since the Unix epoch, for telling how long ago something was. */
  readonly now: () => number;
};

/** The person at the terminal pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

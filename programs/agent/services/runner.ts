import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import type { Began } from '../processes/runner.ts';
import type { Result, Run } from './command.ts';
import type { Look } from './seen.ts';
import type { Held } from './state.ts';

/**
 * Runs services on this host. No method waits for a service except `command`, and none rejects for anything that a
 * service or an operator can cause.
 */
export type Runner = {
  /** Starts an instance, with its configuration written before. */
  start(service: DesiredService): Promise<Began>;
  /** Sends a signal to the process group of an instance. */
  signal(held: Held, signal: 'SIGTERM' | 'SIGKILL'): Promise<Ran>;
  /** Finds out the present state of these services. */
  look(held: readonly Held[]): Promise<Look>;
  /** Asks an instance; resolves with the answer, or at the service's time limit. */
  command(held: Held, service: DesiredService, run: Run): Promise<Result>;
  /** Removes the files of a service that no longer belongs to this host. */
  forget(held: Held): void;
  /** Has `then` called when a service has ended, where the runner notices that by itself. */
  onEnd(then: () => void): void;
};

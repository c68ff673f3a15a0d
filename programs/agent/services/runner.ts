import type { Ran } from '../../../lib/machine/command.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import type { Began } from '../processes/runner.ts';
import type { Result, Run } from './command.ts';
import type { Look } from './seen.ts';
import type { Held } from './state.ts';

/**
 * How services are run on this host. No verb waits for a service but `command`, and none rejects for what a service or
 * an operator can do to it.
 */
export type Runner = {
  /** Starts an instance, with its configuration written before. */
  start(service: DesiredService): Promise<Began>;
  /** Sends a signal to an instance and to whatever it has started in its group. */
  signal(held: Held, signal: 'SIGTERM' | 'SIGKILL'): Promise<Ran>;
  /** Finds out what has become of these. */
  look(held: readonly Held[]): Promise<Look>;
  /** Asks an instance; takes as long as that takes, and no longer than it may. */
  command(held: Held, service: DesiredService, run: Run): Promise<Result>;
  /** Removes what is kept for a service that is one of this host no more. */
  forget(held: Held): void;
  /** Calls when something has ended, where the runner hears of it by itself. */
  onEnd(then: () => void): void;
};

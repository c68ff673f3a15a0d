import type { Fetching } from '../../../lib/api/client.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { World } from '../../../lib/machine/reactor.ts';

/**
 * An agent that may stand still, as a program does that is stopped or hangs: nothing that it waits for reaches it until
 * it goes on, and then all of it does, in its order. Its machine's kernel takes connections for it meanwhile, and
 * nobody answers them.
 */
export class Standstill {
  #since: EpochMs | undefined;
  #waiting: (() => void)[] = [];

  /** Since when it stands still; undefined while it does not. */
  get since(): EpochMs | undefined {
    return this.#since;
  }

  /** It stands still from now on. */
  begin(now: EpochMs): void {
    this.#since ??= now;
  }

  /** It goes on with what has waited for it; that may make it stand still again. */
  end(): void {
    this.#since = undefined;
    for (let then = this.#waiting.shift(); then; then = this.#waiting.shift()) then();
  }

  /** Does something once it goes on; at once while it does not stand still. */
  readonly reach = (then: () => void): void => {
    if (this.#since === undefined) then();
    else this.#waiting.push(then);
  };

  /** Its timers: those that are over meanwhile wait, and can be cancelled still. */
  after =
    (after: World['after']): World['after'] =>
    (waitMs, then) => {
      let isOff = false;
      const cancel = after(waitMs, () => this.reach(() => !isOff && then()));
      return () => {
        isOff = true;
        cancel();
      };
    };

  /** Its calls: what they are answered waits. */
  fetching =
    (fetching: Fetching): Fetching =>
    (url, init) =>
      fetching(url, init).finally(() => new Promise<void>((resolve) => this.reach(resolve)));
}

import type { EpochMs } from '../../../lib/core/time.ts';
import { type Reactor, react, type Step, type World } from '../../../lib/machine/reactor.ts';

/**
 * How long to gather changes before a write: a host may start 300 processes at once, and each write has all of them and
 * waits for the disk.
 */
const writeAfterMs = 100;

/** A pure `decide` whose state is stored on disk. */
export type Program<S, I, A> = {
  readonly first: S;
  decide(state: S, input: I, now: EpochMs): Step<S, A>;
  /** The input for time that has passed. */
  readonly tick: I;
  /** Called before the state that an action came with is written, to store data that the state needs on disk. */
  prepare?(action: A): void;
  /** Carries an action out; its outcome, if any, is the next input. */
  carry(action: A): Promise<I | undefined>;
  /** Whether a state needs no write after another. */
  isSame(next: S, written: S): boolean;
  /** Writes the differences between a state and the one that was written last. Throws what the file system throws. */
  write(next: S, before: S): void;
};

/**
 * Runs a program, and writes its state to disk before any action or promise. A change without an action is written 0.1
 * s later. An agent that is killed before that sees the same again at its next look.
 */
export class RecordedReactor<S extends { readonly wakeAt?: EpochMs | undefined }, I, A extends { readonly do: string }> {
  readonly #program: Program<S, I, A>;
  readonly #world: World;
  readonly #reactor: Reactor<S, I>;
  #latest: S;
  #written: S;
  #isArmed = false;

  constructor(program: Program<S, I, A>, world: World) {
    this.#program = program;
    this.#world = world;
    this.#latest = program.first;
    this.#written = program.first;
    const { tick } = program;
    this.#reactor = react<S, I, A>(
      program.first,
      {
        decide: (state, input, now) => program.decide(state, input, now),
        tick,
        carry: (action) => this.#carry(action),
        changed: (next) => this.#changed(next),
      },
      world,
    );
  }

  state = (): S => this.#reactor.state();
  /** Takes an input; what it changes is on disk soon. */
  take = (input: I): void => this.#reactor.take(input);

  /** Takes an input; what it changes is on disk when this returns. */
  takeAndWrite(input: I): void {
    this.take(input);
    this.write();
  }

  /** Writes changes that are not on disk yet. Throws what the file system throws; the next write then repeats them. */
  write(): void {
    const [next, before] = [this.#latest, this.#written];
    if (this.#program.isSame(next, before)) return;
    this.#program.write(next, before);
    this.#written = next;
  }

  /** Starts the program; `stop` ends it, and leaves its state on disk. */
  start(): { stop(): void } {
    this.take(this.#program.tick);
    return {
      stop: () => {
        this.#reactor.stop();
        this.write();
      },
    };
  }

  #changed(next: S): void {
    this.#latest = next;
    if (this.#isArmed || this.#program.isSame(next, this.#written)) return;
    this.#isArmed = true;
    this.#world.after(writeAfterMs, () => {
      this.#isArmed = false;
      this.write();
    });
  }

  async #carry(action: A): Promise<I | undefined> {
    this.#program.prepare?.(action);
    if (action.do !== 'look' && action.do !== 'say') this.write();
    return this.#program.carry(action);
  }
}

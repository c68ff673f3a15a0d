import type { EpochMs } from '../../../lib/core/time.ts';
import { type Reactor, react, type Step, type World } from '../../../lib/machine/reactor.ts';

/**
 * A host of 300 processes starts them in one breath: each write is one of all of them, and takes as long as a disk
 * does.
 */
const writeAfterMs = 100;

/** A pure `decide` whose state is kept on disk. */
export type Program<S, I, A> = {
  readonly first: S;
  decide(state: S, input: I, now: EpochMs): Step<S, A>;
  /** The input that says time has passed. */
  readonly tick: I;
  /** Called before the state that an action came with is written: what must not be missing on disk beside it. */
  prepare?(action: A): void;
  /** Carries an action out; what comes of it, if anything, is the next input. */
  carry(action: A): Promise<I | undefined>;
  /** Whether a state needs no write after another. */
  isSame(next: S, written: S): boolean;
  /** Writes what differs between a state and the one that was written last. Throws what the disk does. */
  write(next: S, before: S): void;
};

/**
 * Runs a program whose state is on disk before anything is done or promised by it. A change that nothing is done about
 * yet is written 0.1 s later. An agent that is killed before that sees the same again when it looks.
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

  /** Writes what is not on disk yet. Throws what the disk does; the write is then made again with the next. */
  write(): void {
    const [next, before] = [this.#latest, this.#written];
    if (this.#program.isSame(next, before)) return;
    this.#program.write(next, before);
    this.#written = next;
  }

  /** Begins; what it gives back stops it, and leaves its state on disk. */
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

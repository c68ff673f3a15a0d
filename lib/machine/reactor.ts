import type { EpochMs } from '../core/time.ts';

/**
 * The clock, timer and randomness of a program. `after` runs once after so many ms and gives back a function that
 * cancels it.
 */
export type World = { now(): EpochMs; after(waitMs: number, then: () => void): () => void; random(): number };

/**
 * The result of a pure `decide`: the next state, and the actions. The `wakeAt` of the state is when it wants its next
 * tick.
 */
export type Step<S, A> = { readonly next: S; readonly actions: readonly A[] };

/** A timer in Node holds at most this many ms; a later moment is approached in steps. */
const timerMaxMs = 2 ** 31 - 1;

type Program<S, I, A> = {
  decide(state: S, input: I, now: EpochMs): Step<S, A>;
  /** Carries one action out; its outcome, if any, is the next input. It never rejects for expected failures. */
  carry(action: A, next: S): Promise<I | undefined> | I | undefined;
  /** The input for the passing of time. */
  readonly tick: I;
  /** Called with each new state before its actions are carried out: the place to store it. */
  changed?(next: S): void;
};

/** A running program: give it inputs, read its state, stop it. */
export type Reactor<S, I> = { take(input: I): void; state(): S; stop(): void };

/** Runs a pure `decide`: one input at a time, its actions all at once, and a tick whenever its state asks for one. */
export function react<S extends { readonly wakeAt?: EpochMs | undefined }, I, A>(
  first: S,
  program: Program<S, I, A>,
  world: World,
): Reactor<S, I> {
  let state = first;
  let stopped = false;
  let disarm = () => {};

  const arm = () => {
    disarm();
    disarm = () => {};
    if (stopped || state.wakeAt === undefined) return;
    disarm = world.after(Math.min(timerMaxMs, Math.max(0, state.wakeAt - world.now())), () => take(program.tick));
  };
  const take = (input: I) => {
    if (stopped) return;
    const { next, actions } = program.decide(state, input, world.now());
    state = next;
    program.changed?.(next);
    for (const action of actions) {
      Promise.resolve(program.carry(action, next)).then((outcome) => outcome !== undefined && take(outcome));
    }
    arm();
  };
  return {
    take,
    state: () => state,
    stop: () => {
      stopped = true;
      disarm();
    },
  };
}

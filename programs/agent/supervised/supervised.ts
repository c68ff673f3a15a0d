import type { EpochMs } from '../../../lib/core/time.ts';
import type { Step } from '../../../lib/machine/reactor.ts';
import type { Thing } from './thing.ts';

/** The things of one kind that this host supervises, by what each goes by, in the order in which they came. */
export type Supervised<K, H extends Thing> = {
  readonly held: ReadonlyMap<K, H>;
  /** Undefined until Muster has assigned anything. */
  readonly desired: unknown;
  /** The next look at what runs. */
  readonly look: { readonly at: EpochMs; readonly looking: boolean };
};

/** What a look found, and how it is taken in. `F` is what was found of one thing. */
type Findings<K, H, F, S> = {
  readonly foundOf: (id: K) => F | undefined;
  /** Whether a thing is still as it was when the look began: a look says nothing about what has changed since. */
  readonly isAsItWas: (held: H, before: H) => boolean;
  /** The state with what was found, and a line for the log of this host. */
  readonly takeIn: (state: S, held: H, found: F) => { readonly next: S; readonly line?: string | undefined };
};

type Line = { readonly do: 'say'; readonly line: string };

/**
 * What supervising processes and supervising services have in common: pure functions over their state, for things that
 * `idOf` names.
 */
export function supervising<K, H extends Thing, S extends Supervised<K, H>>(idOf: (held: H) => K) {
  /** The state with this in the place of what was known of the thing. */
  const withHeld = (state: S, held: H): S => ({ ...state, held: new Map(state.held).set(idOf(held), held) });

  /** The state with one thing changed; as it was where the thing is not known. */
  const changed = (state: S, id: K, change: (held: H) => H): S => {
    const held = state.held.get(id);
    return held ? withHeld(state, change(held)) : state;
  };

  /** The state without a thing; with `anew` in its place, if it has come back meanwhile. */
  const forgotten = (state: S, id: K, anew: H | undefined): S => {
    const held = new Map(state.held);
    held.delete(id);
    return { ...state, held: anew ? held.set(id, anew) : held };
  };

  /** Drives each thing that nothing is being done about, once Muster has assigned any. */
  function driveEach<A>(state: S, drive: (state: S, held: H) => Step<S, A>): Step<S, A> {
    const actions: A[] = [];
    let next = state;
    if (state.desired === undefined) return { next, actions };
    for (const held of state.held.values()) {
      if (held.busy) continue;
      const step = drive(next, held);
      next = step.next;
      actions.push(...step.actions);
    }
    return { next, actions };
  }

  /** Looks at the things that `isSeen` names, when a look is due and none is under way. */
  function lookIfDue(state: S, isSeen: (held: H) => boolean, now: EpochMs): Step<S, { readonly do: 'look'; readonly held: readonly H[] }> {
    const held = [...state.held.values()].filter(isSeen);
    if (state.look.looking || now < state.look.at || held.length === 0) return { next: state, actions: [] };
    return { next: { ...state, look: { ...state.look, looking: true } }, actions: [{ do: 'look', held }] };
  }

  /** Takes in what a look found of the things that it began with. */
  function takeIn<F>(state: S, before: readonly H[], { foundOf, isAsItWas, takeIn }: Findings<K, H, F, S>): Step<S, Line> {
    let next = state;
    const actions: Line[] = [];
    for (const one of before) {
      const [found, held] = [foundOf(idOf(one)), next.held.get(idOf(one))];
      if (found === undefined || !held || !isAsItWas(held, one)) continue;
      const taken = takeIn(next, held, found);
      next = taken.next;
      if (taken.line !== undefined) actions.push({ do: 'say', line: taken.line });
    }
    return { next, actions };
  }

  return { withHeld, changed, forgotten, driveEach, lookIfDue, takeIn };
}

/** One step after the other, each on the state that the one before left; the actions of all in order. */
export function inOrder<S, A>(first: Step<S, A>, ...steps: readonly ((state: S) => Step<S, A>)[]): Step<S, A> {
  return steps.reduce(({ next, actions }, step) => {
    const after = step(next);
    return { next: after.next, actions: [...actions, ...after.actions] };
  }, first);
}

import type { EpochMs } from '../../../lib/core/time.ts';
import type { Step } from '../../../lib/machine/reactor.ts';
import type { Thing } from './thing.ts';

/** The things of one kind that this host supervises, by their ids, in the order in which they came. */
export type Supervised<K, H extends Thing> = {
  readonly held: ReadonlyMap<K, H>;
  /** Undefined until Muster has assigned anything. */
  readonly desired: unknown;
  /** The next look at what runs. */
  readonly look: { readonly at: EpochMs; readonly looking: boolean };
};

/** The findings of a look, and how to take them in. `F` is the finding about one thing. */
type Findings<K, H, F, S> = {
  readonly foundOf: (id: K) => F | undefined;
  /** Whether a thing is still as it was when the look began: a look does not apply to later changes. */
  readonly isAsItWas: (held: H, before: H) => boolean;
  /** The state with the finding, and a line for the log of this host. */
  readonly takeIn: (state: S, held: H, found: F) => { readonly next: S; readonly line?: string | undefined };
};

type Line = { readonly do: 'say'; readonly line: string };

/**
 * The functions that the supervision of processes and of services share: they are pure, over the state of things that
 * `idOf` identifies.
 */
export function supervising<K, H extends Thing, S extends Supervised<K, H>>(idOf: (held: H) => K) {
  /** The state with this record of a thing in the place of the one before. */
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

  /** Drives each thing without an action under way, once Muster has assigned any. */
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

  /** Looks at the things that `isSeen` selects, when a look is due and none is under way. */
  function lookIfDue(state: S, isSeen: (held: H) => boolean, now: EpochMs): Step<S, { readonly do: 'look'; readonly held: readonly H[] }> {
    const held = [...state.held.values()].filter(isSeen);
    if (state.look.looking || now < state.look.at || held.length === 0) return { next: state, actions: [] };
    return { next: { ...state, look: { ...state.look, looking: true } }, actions: [{ do: 'look', held }] };
  }

  /** Takes in the findings of a look about the things that it began with. */
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

/** Runs one step after another, each on the state of the one before; gives the actions of all in order. */
export function inOrder<S, A>(first: Step<S, A>, ...steps: readonly ((state: S) => Step<S, A>)[]): Step<S, A> {
  return steps.reduce(({ next, actions }, step) => {
    const after = step(next);
    return { next: after.next, actions: [...actions, ...after.actions] };
  }, first);
}

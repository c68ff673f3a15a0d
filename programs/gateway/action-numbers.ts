import { firstActionNumber } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { secondMs } from '../../lib/core/time.ts';
import type { ActionPart } from '../../lib/uyuni/gateway/actions.ts';

/** A number that was reserved, and the proof of that, without which Muster records nothing under it. */
export type ReservedNumber = { readonly number: number; readonly proof: string };

/** Numbers of actions in the cluster. All throw {@link NoNumber} where they cannot be had. */
export type ActionNumbers = {
  /** So many numbers that nobody else is given. */
  reserve(count: number): Promise<readonly ReservedNumber[]>;
  /** What servers have scheduled under a reserved number, once and for all. */
  record(reserved: ReservedNumber, parts: readonly ActionPart[]): Promise<void>;
  /** What a number stands for; undefined for one that is not known. `signal` aborts when nobody wants to know it. */
  partsOf(number: number, signal: AbortSignal): Promise<readonly ActionPart[] | undefined>;
  /** The numbers in the cluster of actions of a node, by their numbers there; those without one are missing. */
  numbersAt(node: string, ids: readonly number[]): Promise<ReadonlyMap<number, number>>;
};

/** Muster gives no numbers, or does not say what they stand for. `isForGood`: the gateway has no right to it. */
export class NoNumber extends Error {
  override readonly name = 'NoNumber';
  readonly isForGood: boolean;

  constructor(why: string, isForGood: boolean, options?: ErrorOptions) {
    super(why, options);
    this.isForGood = isForGood;
  }
}

/** As many parts of actions as are remembered without Muster; each has some 200 bytes. */
const rememberedMax = 500_000;
/** Numbers after the first with which a gateway may begin: in seconds, 19 years. */
const span = 600_000_000;

/**
 * Numbers that are remembered by this process alone. They begin by the time, so that a gateway that is started again
 * gives none that it gave before, as long as it gave less than one a second. `partsMax`: as many parts of actions as
 * are remembered; the oldest actions are forgotten for those of new ones.
 */
export function actionsInMemory(now: () => EpochMs, partsMax = rememberedMax): ActionNumbers {
  let next = firstActionNumber + (Math.floor(now() / secondMs) % span);
  let held = 0;
  const actions = new Map<number, readonly ActionPart[]>();
  const there = new Map<string, number>();
  const placeOf = ({ node, id }: ActionPart): string => `${node}/${id}`;
  const forget = (number: number): void => {
    const parts = actions.get(number) ?? [];
    held -= parts.length;
    actions.delete(number);
    for (const part of parts) if (there.get(placeOf(part)) === number) there.delete(placeOf(part));
  };
  return {
    reserve: async (count) => Array.from({ length: count }, () => ({ number: next++, proof: '' })),
    record: async ({ number }, parts) => {
      forget(number);
      actions.set(number, parts);
      held += parts.length;
      for (const part of parts) there.set(placeOf(part), number);
      for (const oldest of actions.keys()) {
        if (held <= partsMax || oldest === number) break;
        forget(oldest);
      }
    },
    partsOf: async (number) => actions.get(number),
    numbersAt: async (node, ids) =>
      new Map(
        ids.flatMap((id) => {
          const number = there.get(placeOf({ node, id }));
          return number === undefined ? [] : [[id, number] as const];
        }),
      ),
  };
}

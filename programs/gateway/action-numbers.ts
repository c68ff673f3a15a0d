import { firstActionNumber } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import { secondMs } from '../../lib/core/time.ts';
import type { ActionPart } from '../../lib/uyuni/gateway/actions.ts';

/** Numbers of actions in the cluster. All throw {@link NoNumber} where they cannot be had. */
export type ActionNumbers = {
  /** So many numbers that nobody else is given. */
  reserve(count: number): Promise<readonly number[]>;
  /** What servers have scheduled under a reserved number, once and for all. */
  record(number: number, parts: readonly ActionPart[]): Promise<void>;
  /** What a number stands for; undefined for one that is not known. */
  partsOf(number: number): Promise<readonly ActionPart[] | undefined>;
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

/** As many actions as are remembered without Muster; each has some 200 bytes. */
const rememberedMax = 500_000;
/** Numbers after the first with which a gateway may begin: in seconds, 19 years. */
const span = 600_000_000;

/**
 * Numbers that are remembered by this process alone. They begin by the time, so that a gateway that is started again
 * gives none that it gave before, as long as it gave less than one a second.
 */
export function actionsInMemory(now: () => EpochMs): ActionNumbers {
  let next = firstActionNumber + (Math.floor(now() / secondMs) % span);
  const actions = new Map<number, readonly ActionPart[]>();
  const there = new Map<string, number>();
  const placeOf = ({ node, id }: ActionPart): string => `${node}/${id}`;
  const forgetOldest = (): void => {
    const [oldest] = actions;
    if (!oldest) return;
    actions.delete(oldest[0]);
    for (const part of oldest[1]) if (there.get(placeOf(part)) === oldest[0]) there.delete(placeOf(part));
  };
  return {
    reserve: async (count) => Array.from({ length: count }, () => next++),
    record: async (number, parts) => {
      actions.set(number, parts);
      for (const part of parts) there.set(placeOf(part), number);
      if (actions.size > rememberedMax) forgetOldest();
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

import type { EpochMs } from '../../../lib/core/time.ts';
import { type MinionKeyPair, minionKeyOf } from '../../../tools/support/minion-keys.ts';
import type { Kernel } from '../kernel.ts';
import { oneOf } from '../random.ts';

/** A minion's key, and the name it goes by. */
export type MinionKey = MinionKeyPair & { readonly id: string };

/** When a minion may come to a machine, or get another key, in ms from the beginning. */
const comesWithinMs = 6 * 60_000;

/**
 * The minion beside a daemon: mostly none or one from the beginning, now and then one that is installed later, one
 * whose key is made anew, or one with the key of another machine because both came from one image.
 */
export function minionOf(n: number, kernel: Kernel): (now: EpochMs) => MinionKey | undefined {
  const random = kernel.random(`minion ${n}`);
  const kind = oneOf(random, ['none', 'none', 'first', 'first', 'late', 'renewed', 'copied'] as const)!;
  const from = kernel.now + (kind === 'late' || kind === 'renewed' ? random() * comesWithinMs : 0);
  const key = keyOf(`minion${n}`, kind === 'copied' ? 'the image' : `the key of ${n}`);
  const renewed = keyOf(`minion${n}`, `another key of ${n}`);
  return (now) => {
    if (kind === 'none') return undefined;
    if (now < from) return kind === 'renewed' ? key : undefined;
    return kind === 'renewed' ? renewed : key;
  };
}

const keyOf = (id: string, secret: string): MinionKey => ({ id, ...minionKeyOf(secret) });

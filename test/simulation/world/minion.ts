import { createHash } from 'node:crypto';
import { minionFingerprintOf } from '../../../lib/identity/fingerprint.ts';
import type { Fingerprint } from '../../../lib/ids.ts';
import type { EpochMs } from '../../../lib/units.ts';
import type { Kernel } from '../kernel.ts';
import { oneOf } from '../random.ts';

/** A key of a minion, as a knock names it. */
export type MinionKey = { readonly id: string; readonly publicKey: string; readonly fingerprint: Fingerprint };

/** When a minion may come to a machine, or get another key, in ms from the beginning. */
const comesWithinMs = 6 * 60_000;

/**
 * The minion beside a daemon: mostly none or one from the beginning, now and then one that is installed later, one whose key is made anew,
 * or one with the key of another machine because both came from one image.
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

/** A key that looks like one; nobody computes with it. */
function keyOf(id: string, secret: string): MinionKey {
  const body = createHash('sha512').update(secret).digest('base64').slice(0, 64);
  const publicKey = `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;
  return { id, publicKey, fingerprint: minionFingerprintOf(publicKey) };
}

import { randomBytes, randomUUID } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { EpochMs } from '../../lib/core/time.ts';
import type { World } from '../../lib/machine/reactor.ts';

/**
 * The world of many programs in this process: its clock and timers, and the given randomness. The only file here with a
 * clock or timers.
 */
export const worldOf = (random: () => number): World => ({
  now: () => Date.now() as EpochMs,
  after: (waitMs, then) => {
    const timer = setTimeout(then, waitMs);
    return () => clearTimeout(timer);
  },
  random,
});

/** The world as it is. */
export const world: World = worldOf(Math.random);

/** Milliseconds with fractions since this process began, to measure durations: no change of the clock disturbs them. */
export const elapsedMs = (): number => performance.now();

/** A signal that aborts after so many ms. */
export const signalAfter = (ms: number): AbortSignal => AbortSignal.timeout(ms);

/** A new UUID. */
export const newId = (): string => randomUUID();
/** A nonce for the signature of one call: 18 random bytes in base64url. */
export const newNonce = (): string => randomBytes(18).toString('base64url');
/** The name of one run, which keeps it apart from all others: 8 hex digits. */
export const newRunName = (): string => randomBytes(4).toString('hex');

/** The machine that makes the load. */
export const thisMachine = () => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpus: availableParallelism(),
  memoryMib: Math.round(totalmem() / 2 ** 20),
});

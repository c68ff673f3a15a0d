import { randomBytes, randomUUID } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { EpochMs } from '../../lib/core/time.ts';
import type { World } from '../../lib/machine/reactor.ts';

/**
 * The world of many programs that run in this process: its clock and timers, and the chance that is given. The one file
 * here with either.
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

/**
 * Milliseconds with fractions since this process began, which no change of the clock disturbs: what spans are measured
 * by.
 */
export const elapsedMs = (): number => performance.now();

/** A signal that comes after so many ms. */
export const signalAfter = (ms: number): AbortSignal => AbortSignal.timeout(ms);

/** A new UUID. */
export const newId = (): string => randomUUID();
/** What signs one call only: 18 random bytes in base64url. */
export const newNonce = (): string => randomBytes(18).toString('base64url');
/** What one run is called by, so that it meets nothing of another: 8 hex digits. */
export const newRunName = (): string => randomBytes(4).toString('hex');

/** What a load was made on. */
export const thisMachine = () => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpus: availableParallelism(),
  memoryMib: Math.round(totalmem() / 2 ** 20),
});

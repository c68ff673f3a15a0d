import * as z from 'zod';
import { Born } from '../../../events/reported/process.ts';
import { EpochMs } from '../../../lib/core/time.ts';
import type { Fallen } from './alone.ts';

/**
 * One life of a process or a service: its pid, and when that life began by its kernel, which distinguishes it from
 * another program with the same pid.
 */
export const Life = z.strictObject({ pid: z.int().positive(), born: Born });
export type Life = z.infer<typeof Life>;

/** The fields on disk that a process and a service have in common. */
export const stored = {
  is: z.enum(['idle', 'starting', 'online', 'stopping']),
  /** Since when, by the clock of this host. */
  since: EpochMs,
  life: Life.optional(),
  /** Muster has been notified that this life has failed: its end is not reported again. */
  failed: z.literal(true).optional(),
};

/** What an agent remembers of a process or a service for as long as it runs, and does not write to disk. */
export type Passing = Fallen & {
  /** When to try again to stop it, if that failed. */
  readonly notBefore?: EpochMs;
  /** Its time to stop was over, and it was killed, as far as that is possible. */
  readonly killed?: true;
  /** When it was last seen starting or stopping. Only a thing that was seen can be late. */
  readonly seenAt?: EpochMs;
};

/** The common fields of a process and a service of this host. `busy`: the action under way. */
export type Thing = Passing & {
  readonly is: 'idle' | 'starting' | 'online' | 'stopping';
  readonly since: EpochMs;
  readonly life?: Life | undefined;
  readonly busy?: string;
};

/** A thing without the fields that belong to this run of the agent only. */
export function lasting<H extends Thing>({
  busy: _busy,
  notBefore: _notBefore,
  killed: _killed,
  seenAt: _seenAt,
  fell: _fell,
  again: _again,
  ...rest
}: H): Omit<H, keyof Passing | 'busy'> {
  return rest;
}

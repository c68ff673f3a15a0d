import type { EpochMs } from '../core/time.ts';
import { cached, type Shell } from './shell.ts';

/**
 * The work of a consumer in this process since it began: how many messages it took, how many of these failed, and when
 * it last took any.
 */
export type Handled = { readonly handled: number; readonly failed: number; readonly lastAt?: EpochMs };
/** The work of all consumers of this process, by their names, since it began. */
export type AllHandled = { readonly since: EpochMs; readonly by: Map<string, Handled> };

type Counting = Pick<Shell, 'caches' | 'now'>;

/** The counts of this process; they begin at the first call. They cost no write, and end with the process. */
export const countsHandled = (shell: Counting): AllHandled => cached(shell, handledCache, () => ({ since: shell.now(), by: new Map() }));

/**
 * The counts, where consumers run in this process; undefined on AWS, where each runs in a process of its own and
 * CloudWatch counts.
 */
export const handledHere = ({ caches }: Pick<Shell, 'caches'>): AllHandled | undefined =>
  caches.get(handledCache) as AllHandled | undefined;

/** Counts messages that a consumer took, some of which failed. */
export function noteHandled(shell: Counting, consumer: string, taken: number, failed = 0): void {
  const { by } = countsHandled(shell);
  const before = by.get(consumer) ?? { handled: 0, failed: 0 };
  by.set(consumer, { handled: before.handled + taken, failed: before.failed + failed, lastAt: shell.now() });
}

const handledCache = 'handled';

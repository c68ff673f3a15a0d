import { type EpochMs, earlier } from '../../core/time.ts';
import type { ZoneHead } from '../zone.ts';

/**
 * A node that is down and whose clients are kept for it, by index: since when, and until when; absent is until it is
 * back.
 */
export type Kept = NonNullable<ZoneHead['kept']>[number];

/** Whether the clients of a node that is down are kept for it still. */
export const isKept = ({ kept }: ZoneHead, index: number, now: EpochMs): boolean =>
  kept?.some((one) => one.index === index && (one.until === undefined || one.until > now)) ?? false;

/** When the next of these is over; undefined when none ends by itself. */
export const keepsEndAt = (kept: readonly Kept[] | undefined): EpochMs | undefined =>
  (kept ?? []).reduce<EpochMs | undefined>((first, { until }) => earlier(first, until), undefined);

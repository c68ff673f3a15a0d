import { type EpochMs, earlier } from '../../core/time.ts';
import type { ZoneHead } from '../zone.ts';

/**
 * A down node whose clients are retained for it, by index: since when, and until when; an absent `until` lasts until
 * the node is back.
 */
export type Retention = NonNullable<ZoneHead['kept']>[number];

/** Whether the clients of a down node are still retained for it. */
export const isRetained = ({ kept }: ZoneHead, index: number, now: EpochMs): boolean =>
  kept?.some((one) => one.index === index && (one.until === undefined || one.until > now)) ?? false;

/** When the next retention ends; undefined when none ends by itself. */
export const retentionEndsAt = (kept: readonly Retention[] | undefined): EpochMs | undefined =>
  (kept ?? []).reduce<EpochMs | undefined>((first, { until }) => earlier(first, until), undefined);

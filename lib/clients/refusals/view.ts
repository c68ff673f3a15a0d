import type { EpochMs } from '../../core/time.ts';
import type { RefusedKnocks } from './refusal.ts';
import type { RefusedKnocksView } from './routes.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** Refused knocks as the API and the CLI show them. */
export const refusedKnocksView = ({ firstAt, lastAt, ...knocks }: RefusedKnocks): RefusedKnocksView => ({
  ...knocks,
  firstAt: iso(firstAt),
  lastAt: iso(lastAt),
});

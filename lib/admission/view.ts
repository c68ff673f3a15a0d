import type { PooledHostView } from '../api/views.ts';
import { showFingerprint } from '../ids.ts';
import type { EpochMs } from '../units.ts';
import { isForeignWatch } from './own-watch.ts';
import { type PooledHost, zoneOfHost } from './pooled-host.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** A pooled host's row as the API and the CLI show it. */
export function pooledHostView(host: PooledHost, because: string): PooledHostView {
  const { fp, fqdn, kind, standing, watch, capacity, source, firstSeenAt, seenAt } = host;
  const shownZone = zoneOfHost(host);
  return {
    ...{ fp, fingerprint: showFingerprint(fp), fqdn, kind: host.standing === 'admitted' ? host.as.kind : kind, standing, because },
    ...{ watch, source, firstSeenAt: iso(firstSeenAt), seenAt: iso(seenAt) },
    ...(isForeignWatch(host) && { foreignWatch: true as const }),
    ...(shownZone !== undefined && { zone: shownZone }),
    ...(capacity !== undefined && { capacity }),
  };
}

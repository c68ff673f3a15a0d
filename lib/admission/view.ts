import type { PooledHostView } from '../api/views.ts';
import { showFingerprint } from '../ids.ts';
import type { EpochMs } from '../units.ts';
import type { PooledHost } from './pooled-host.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** A pooled host's row as the API and the CLI show it. */
export function pooledHostView(host: PooledHost, because: string): PooledHostView {
  const { fp, fqdn, kind, zone, standing, watch, capacity, source, firstSeenAt, seenAt } = host;
  const shownZone = host.standing === 'admitted' ? host.as.zone : zone;
  return {
    ...{ fp, fingerprint: showFingerprint(fp), fqdn, kind: host.standing === 'admitted' ? host.as.kind : kind, standing, because },
    ...{ watch, source, firstSeenAt: iso(firstSeenAt), seenAt: iso(seenAt) },
    ...(shownZone !== undefined && { zone: shownZone }),
    ...(capacity !== undefined && { capacity }),
  };
}

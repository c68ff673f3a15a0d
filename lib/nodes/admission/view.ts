import { showFingerprint } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { fingerprintOf } from '../../identity/fingerprint.ts';
import type { NodeIn } from '../node.ts';
import type { PooledHostView } from './routes.ts';
import { isForeignWatch } from './rows/own-watch.ts';
import { type PooledHost, zoneOfHost } from './rows/pooled-host.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** A pooled host's row as the API and the CLI show it. */
export function pooledHostView(host: PooledHost, because: string): PooledHostView {
  const { fp, fqdn, kind, standing, watch, capacity, source, firstSeenAt, seenAt } = host;
  const hostZone = zoneOfHost(host);
  return {
    fp,
    fingerprint: showFingerprint(fp),
    fqdn,
    kind: host.standing === 'admitted' ? host.as.kind : kind,
    standing,
    because,
    watch,
    source,
    firstSeenAt: iso(firstSeenAt),
    seenAt: iso(seenAt),
    ...(isForeignWatch(host) && { foreignWatch: true as const }),
    ...(hostZone !== undefined && { zone: hostZone }),
    ...(capacity !== undefined && { capacity }),
  };
}

/**
 * A dropped node that asks to come back, as the API and the CLI show it among the hosts that wait. The source of its
 * calls is not stored.
 */
export function askingNodeView(node: NodeIn<'dropped'>): PooledHostView {
  const { id, publicKey, fqdn, kind, zone, watch, capacity, joinedAt, heardAt = joinedAt, droppedAt, planned } = node;
  const fp = fingerprintOf(publicKey);
  return {
    fp,
    fingerprint: showFingerprint(fp),
    fqdn,
    kind,
    zone,
    standing: 'waiting',
    because: `dropped at ${iso(droppedAt)}${planned ? ' as planned' : ''}; waits for readmission`,
    dropped: { node: id, at: iso(droppedAt), planned },
    watch,
    source: 'unknown',
    firstSeenAt: iso(joinedAt),
    seenAt: iso(heardAt),
    ...(capacity !== undefined && { capacity }),
  };
}

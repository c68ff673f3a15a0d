import type { ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { SeatView } from './routes.ts';
import type { Seat } from './seat.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** The seat of a zone for people and programs, and why it is as it is. */
export function seatView(zone: ZoneName, seat: Seat | undefined, because: string, now: EpochMs): SeatView {
  const { epoch = 0, seated, before, ahead = [] } = seat ?? {};
  return {
    zone,
    epoch,
    ...(seated && {
      seat: {
        node: seated.node,
        fqdn: seated.fqdn,
        since: iso(seated.since),
        until: iso(seated.until),
        editors: seated.editors.map(({ who, via, since, at }) => ({ who, via, since: iso(since), at: iso(at) })),
      },
    }),
    ...(before && before.until > now && { before: { node: before.node, fqdn: before.fqdn, until: iso(before.until) } }),
    ahead: ahead.map(({ node, fqdn, at }) => ({ node, fqdn, at: iso(at) })),
    because,
  };
}

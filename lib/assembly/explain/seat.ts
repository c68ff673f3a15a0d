import type { AdminCaller } from '../../access/verify-admin.ts';
import { type Seat, seatRef } from '../../content/seat/seat.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Explanation } from './routes.ts';
import { ofZone } from './stations.ts';

/** Why the common content of a zone is edited where it is, by whom, and where editors would be sent next. */
export async function explainSeat(shell: Shell, name: string, caller: AdminCaller): Promise<Explanation> {
  const { state, ...row } = await ofZone<Seat>(shell, name, caller, seatRef);
  const now = shell.now();
  const { seated, before, ahead = [], epoch } = state ?? { epoch: 0 };
  return {
    subject: `the common content of zone ${name}`,
    state: seated ? `is edited on ${seated.fqdn}, epoch ${epoch}` : 'is edited nowhere',
    ...row.decision,
    also: [
      ...(seated?.editors ?? []).map(({ who, via, since }) => ({ subject: who, because: `edits, by ${via}`, at: iso(since) })),
      ...(before && before.until > now
        ? [{ subject: 'the seat before', because: `${before.fqdn} may still be open`, at: iso(before.until) }]
        : []),
      ...ahead.map(({ fqdn, at }) => ({
        subject: fqdn,
        because: 'has changes that the others do not have, as far as is known',
        at: iso(at),
      })),
    ],
  };
}

const iso = (at: EpochMs): string => new Date(at).toISOString();

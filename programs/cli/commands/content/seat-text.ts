import type { SeatView } from '../../../../lib/content/seat/routes.ts';
import type { Cli } from '../../cli.ts';
import { dated } from '../../output/moments.ts';

/** Where common content is edited and by whom, as text. */
export function seatText({ zone, epoch, seat, before, ahead, because }: SeatView, cli: Cli): string {
  const now = cli.terminal.now();
  const facts = cli.details({
    because,
    ...(epoch > 0 && { epoch: String(epoch) }),
    since: dated(seat?.since, now),
    'open until': dated(seat?.until, now),
    before: before && `${before.fqdn}, where it may be open until ${dated(before.until, now)}`,
    ahead: ahead.length > 0 ? ahead.map(({ fqdn, at }) => `${fqdn}, changed ${dated(at, now)}`).join('; ') : undefined,
  });
  const editors = seat
    ? cli.table(seat.editors, [
        { title: 'EDITOR', of: ({ who }) => who },
        { title: 'BY', of: ({ via }) => via },
        { title: 'SINCE', of: ({ since }) => dated(since, now) ?? '' },
        { title: 'HEARD', of: ({ at }) => dated(at, now) ?? '' },
      ])
    : '';
  return `common content of zone ${zone}: ${seat ? `edited on ${seat.fqdn}` : 'edited nowhere'}\n${facts}${editors}`;
}

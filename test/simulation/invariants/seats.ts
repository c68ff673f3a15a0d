import type { Seat } from '../../../lib/content/seat/seat.ts';
import { clocksMs } from '../../../lib/content/seat/seat.ts';
import type { Desired } from '../../../lib/nodes/desired/desired.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import type { Committed } from '../watching.ts';
import type { Invariant } from './invariant.ts';
import { nodeSteps, skewMs } from './rows.ts';

const bodyOf = <T>(row: Row | undefined, sk: string): T | undefined => (row?.key.sk === sk && !row.gone ? (row.body as T) : undefined);
const zoneOf = ({ key }: Row): string => decodeURIComponent(key.pk.split('#')[1]!);

/** The last node on which common content of a zone was open, in which epoch, and until when. */
type Open = { readonly node: string; readonly epoch: number; readonly until: number };

/** What is wrong with how a seat has become what it is. */
function wrongIn({ at, before, after }: Committed, open: Open | undefined): string | undefined {
  const [was, is] = [bodyOf<Seat>(before, 'seat'), bodyOf<Seat>(after, 'seat')];
  if (!is) return undefined;
  if (is.epoch < (was?.epoch ?? 0)) return `goes back from epoch ${was?.epoch} to ${is.epoch}`;
  const { seated } = is;
  if (!seated || !open) return undefined;
  if (open.epoch === is.epoch) return open.node === seated.node ? undefined : `has two nodes in epoch ${is.epoch}`;
  if (open.node === seated.node || at + skewMs >= open.until + clocksMs) return undefined;
  return `is ${seated.node} at ${at}, while content may be open on ${open.node} until ${open.until}`;
}

const edits = /^\/api\/v1\/zones\/([^/]+)\/seat\/edit$/;

/** Two servers with changes of their own cannot be made alike again. */
export const seats: Invariant = {
  name: 'common-content-is-open-on-one-node',
  says: 'common content of a zone is open on one node at a time, by the row, by what editors are told, and by what agents are; an epoch has one node; in the end no node is the seat that is gone',
  begin: ({ violated }) => {
    let open = new Map<string, Open>();
    let seatsNow = new Map<string, Seat>();
    const nodes = new Map<string, string>();
    const take = (change: Committed): void => {
      const zone = zoneOf(change.after);
      const wrong = wrongIn(change, open.get(zone));
      if (wrong !== undefined) violated(`the seat of zone ${zone} ${wrong}`);
      const is = bodyOf<Seat>(change.after, 'seat');
      if (is) seatsNow.set(zone, is);
      else seatsNow.delete(zone);
      if (is?.seated) open.set(zone, { node: is.seated.node, epoch: is.epoch, until: is.seated.until });
    };
    /** An agent must know what the seat is at that moment. */
    const told = ({ after }: Committed): void => {
      const desired = bodyOf<Desired>(after, 'desired');
      const node = zoneOf(after);
      const own = [...seatsNow.values()].find(({ seated }) => seated?.node === node);
      const [epoch, until] = [desired?.seat?.epoch, desired?.seat?.until];
      if (epoch !== (own?.seated && own.epoch) || until !== own?.seated?.until)
        violated(`the agent of ${node} is told of epoch ${epoch} until ${until}, and the seat is ${JSON.stringify(own?.seated)}`);
    };
    return {
      committed: (changes) => {
        for (const { id, after } of nodeSteps(changes)) nodes.set(id, after?.status ?? 'none');
        for (const change of changes) if (change.after.key.sk === 'seat') take(change);
        for (const change of changes) if (change.after.key.sk === 'desired') told(change);
      },
      restored: () => {
        [open, seatsNow] = [new Map(), new Map()];
      },
      answered: ({ method, path, status, body, askedAt }) => {
        const zone = method === 'POST' && status === 200 ? edits.exec(path)?.[1] : undefined;
        if (zone === undefined) return;
        const { node, epoch, forMs } = JSON.parse(body) as { readonly node: string; readonly epoch: number; readonly forMs: number };
        const is = open.get(decodeURIComponent(zone));
        // It may have been lost while the answer was on its way.
        if (!is || is.epoch > epoch) return;
        if (is.node !== node || is.epoch !== epoch)
          violated(`somebody is sent to ${node} in epoch ${epoch}, and the seat is ${is.node}, ${is.epoch}`);
        if (askedAt + forMs > is.until + skewMs)
          violated(`somebody may edit on ${node} until ${askedAt + forMs}, and it is open until ${is.until}`);
      },
      unrest: () =>
        [...seatsNow].flatMap(([zone, { seated }]) => {
          const status = seated && nodes.get(seated.node);
          return status === undefined || status === 'up' || status === 'suspect' ? [] : [`the seat of zone ${zone} is ${status}`];
        }),
    };
  },
};

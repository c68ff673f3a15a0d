import { hasOwnChanges, type Seat } from '../../../lib/content/seat/seat.ts';
import type { NodeId } from '../../../lib/core/ids.ts';
import { type Desired, type DesiredContent, isGiven } from '../../../lib/nodes/desired/desired.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import type { Invariant } from './invariant.ts';

const bodyOf = <T>(row: Row | undefined, sk: string): T | undefined => (row?.key.sk === sk && !row.gone ? (row.body as T) : undefined);
const nameIn = ({ key }: Row): string => decodeURIComponent(key.pk.split('#')[1]!);

/** What somebody has edited on a server is nowhere else, until it has been read. */
export const edited: Invariant = {
  name: 'no-revision-replaces-what-is-edited',
  says: 'no server is to have a revision while somebody edits on it, or while it has changes of common content that the others do not have; and none becomes the seat that is at one',
  begin: ({ kernel, violated }) => {
    const seats = new Map<string, Seat>();
    /** What agents are to have, by their nodes. */
    const orders = new Map<string, DesiredContent>();
    const ordered = (node: string, { revision, generation }: DesiredContent): void => {
      const seat = [...seats.values()].find((one) => hasOwnChanges(one, { node: node as NodeId, generation }));
      if (seat) violated(`${node} is to have revision ${revision}, and has changes of its own: ${JSON.stringify(seat)}`);
    };
    const elected = ({ node, generation }: NonNullable<Seat['seated']>): void => {
      const content = orders.get(node);
      if (isGiven({ content }, generation, kernel.now)) violated(`${node} is the seat, and is to have revision ${content?.revision}`);
    };
    const desired = (node: string, is: DesiredContent | undefined): void => {
      const was = orders.get(node);
      if (is) orders.set(node, is);
      else orders.delete(node);
      if (is && !is.done && is.order !== was?.order) ordered(node, is);
    };
    const seat = (zone: string, is: Seat | undefined): void => {
      const was = seats.get(zone);
      if (is) seats.set(zone, is);
      else seats.delete(zone);
      if (is?.seated && is.epoch !== was?.epoch) elected(is.seated);
    };
    return {
      committed: (changes) => {
        // A seat that ends with its commit has ended for the orders of that commit.
        for (const { after } of changes) if (after.key.sk === 'seat') seat(nameIn(after), bodyOf<Seat>(after, 'seat'));
        for (const { after } of changes) if (after.key.sk === 'desired') desired(nameIn(after), bodyOf<Desired>(after, 'desired')?.content);
      },
      restored: () => {
        seats.clear();
        orders.clear();
      },
    };
  },
};

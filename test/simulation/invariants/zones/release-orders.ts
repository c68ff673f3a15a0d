import { type Desired, releaseSlotsMax, releasesMax } from '../../../../lib/nodes/desired/desired.ts';
import type { Invariant } from '../invariant.ts';

type Order = Desired['release'][number];
type Report = { readonly id?: string; readonly type?: string; readonly data?: { readonly mapVersion?: number } };

/** An order that is gone before its agent has seen it leaves client systems on a node that is not theirs. */
export const releaseOrders: Invariant = {
  name: 'a-release-order-is-carried-out',
  says: 'an order to release slots leaves the desired state by a report of its map version or a later one, or because newer orders leave no room for it',
  begin: ({ violated }) => {
    const released = new Map<string, number>();
    return {
      sent: ({ body }) => {
        if (!body.includes('node.released')) return;
        const { id, type, data } = JSON.parse(body) as Report;
        if (id !== undefined && type === 'node.released') released.set(id, data?.mapVersion ?? 0);
      },
      committed: (changes) => {
        for (const { before, after } of changes) {
          if (after.key.sk !== 'desired' || !before || before.gone || after.gone) continue;
          const left = leftBehind(before.body as Desired, after.body as Desired);
          const upTo = released.get(after.by) ?? Number.NEGATIVE_INFINITY;
          const early = left.find(({ mapVersion }) => mapVersion > upTo);
          if (early && !isFull(before.body as Desired, after.body as Desired))
            violated(`${after.key.pk} lost the order of map version ${early.mapVersion} by ${after.by} (${after.because})`);
        }
      },
    };
  },
};

const isSame = (a: Order, b: Order): boolean => a.mapVersion === b.mapVersion && a.zoneSlots === b.zoneSlots;
const leftBehind = (before: Desired, after: Desired): readonly Order[] =>
  before.release.filter((order) => !after.release.some((one) => isSame(one, order)));

/** Whether newer orders came in with which the older ones are more than fit. */
function isFull(before: Desired, after: Desired): boolean {
  const all = [...before.release, ...leftBehind(after, before)];
  const slots = all.reduce((sum, order) => sum + order.slots.length, 0);
  return all.length > before.release.length && (all.length > releasesMax || slots > releaseSlotsMax);
}

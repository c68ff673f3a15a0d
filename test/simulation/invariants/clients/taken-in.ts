import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';

type Said = { readonly id: string; readonly incarnation?: number; readonly seq?: number; readonly boot?: { readonly id: string } };

/** A call that was decided on is answered within this, in ms. */
const answeredWithinMs = 30_000;

/** Whoever was answered forgets what he said. */
export const takenIn: Invariant = {
  name: 'what-was-accepted-is-in-a-queue',
  says: 'a report or heartbeat whose call was answered as taken in is in a queue by then; only a heartbeat that says nothing newer than the row, or a node-up of the boot before the present one, need not be',
  begin: ({ violated, kernel }) => {
    const sent = new Set<string>();
    const heard = new Map<string, number>();
    const bootBefore = new Map<string, string | undefined>();
    /** Until when a boot was the one before, by node and boot: what was decided on then may be answered later. */
    const beforeUntil = new Map<string, number>();
    return {
      committed: (changes) => {
        for (const { id, after } of nodeSteps(changes)) {
          if (after) heard.set(`${id} ${after.incarnation}`, after.seq);
          const was = bootBefore.get(id);
          if (was !== undefined && was !== after?.boot?.before) beforeUntil.set(`${id} ${was}`, kernel.now);
          bootBefore.set(id, after?.boot?.before);
        }
      },
      sent: ({ body, via }) => {
        const id = via === 'door' ? /"id":"([^"]+)"/.exec(body)?.[1] : undefined;
        if (id !== undefined) sent.add(id);
      },
      answered: ({ path, status, sent: body, body: answer }) => {
        const [, node, call] = /^\/nodes\/([^/]+)\/(up|heartbeat|events|leaving)$/.exec(path) ?? [];
        const isTaken = status === 202 || (call === 'heartbeat' && status === 200);
        if (!call || !isTaken) return;
        const reports = (call === 'events' ? body : [body]) as Said[];
        // Not acknowledged, it is asked again: by the clock of its machine it was under way while another boot spoke.
        const isOvertaken = ({ boot }: Said): boolean =>
          call === 'up' &&
          boot !== undefined &&
          (bootBefore.get(node!) === boot.id ||
            kernel.now - (beforeUntil.get(`${node} ${boot.id}`) ?? -answeredWithinMs) < answeredWithinMs);
        const isOld = (one: Said): boolean =>
          isOvertaken(one) || (call === 'heartbeat' && one.seq! <= (heard.get(`${node} ${one.incarnation}`) ?? 0));
        for (const one of reports)
          if (!sent.has(one.id) && !isOld(one)) violated(`${call} ${one.id} was answered ${status} ${answer}, and is in no queue`);
      },
    };
  },
};

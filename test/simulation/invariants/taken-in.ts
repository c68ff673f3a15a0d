import type { Invariant } from './invariant.ts';

/** Whoever was answered forgets what he said. */
export const takenIn: Invariant = {
  name: 'what-was-accepted-is-in-a-queue',
  says: 'a report or heartbeat whose call was answered as taken in is in a queue by then',
  begin: ({ violated }) => {
    const sent = new Set<string>();
    return {
      sent: ({ body, via }) => {
        const id = via === 'door' ? /"id":"([^"]+)"/.exec(body)?.[1] : undefined;
        if (id !== undefined) sent.add(id);
      },
      answered: ({ path, status, sent: body, body: answer }) => {
        const [, call] = /^\/nodes\/[^/]+\/(up|heartbeat|events|leaving)$/.exec(path) ?? [];
        const isTaken = status === 202 || (call === 'heartbeat' && status === 200);
        if (!call || !isTaken) return;
        const reports = (call === 'events' ? body : [body]) as { id: string }[];
        for (const { id } of reports) if (!sent.has(id)) violated(`${call} ${id} was answered ${status} ${answer}, and is in no queue`);
      },
    };
  },
};

import type { BillAsked, Month } from './bill.ts';
import { meters, prices } from './prices.ts';
import { overheads, usual } from './usual.ts';

/**
 * Notes for the reader of a bill: what was measured, what was assumed, and which prices are not confirmed.
 */
export function notesOf({ region, deadKnownInS, freeTiers, clients, covered }: BillAsked, months: readonly Month[]): readonly string[] {
  const list = Object.values(prices[region]);
  const dates = list.map(({ asOf }) => asOf).sort();
  const unsure = meters.map((meter) => prices[region][meter]).filter(({ confirmed }) => !confirmed);
  const late = clients > 0 && covered > 0 && months[0]!.deadKnownInS > deadKnownInS;
  return [
    ...(late
      ? [
          `A dead client system is known to be gone after ${months[0]!.deadKnownInS} s, not ${deadKnownInS} s, because heartbeats of so many nodes are that far apart.`,
        ]
      : []),
    ...(clients > 0 && covered < 1
      ? ['Client systems that no node sees show a sign of life once an hour. Muster does not report that one of them has died.']
      : []),
    'tools/bench/units.ts counts the units, messages and log lines of each operation: it runs the code on a table in memory.',
    `Run times are assumed: ${overheads.waitMs} ms for each wait for the table, a queue or the bus, ${overheads.frameMs} ms for the frame, and ${overheads.cpuMs} ms of a whole core. A function has a whole core with ${overheads.coreMib} MiB of memory, and less in proportion. Starts of environments are left out.`,
    `A queue delivers ${overheads.messagesPerRun} message at a time, since no batch window is set. Direct: the endpoint decides on heartbeats, and uses the queue only on transient failures (-c heartbeats=direct). Lambda logs nothing of its own about a run at the level WARN; a call adds ${overheads.accessLogBytes} B to the log.`,
    `The journal: commits of client systems without events are gathered for ${overheads.silentWindowS} s on each of ${overheads.streamShards} shards of the table's stream.`,
    `Function URLs: as direct. Heartbeats and status checks run with half of the memory, write no access log, and add four alarms. Each program still begins with the API. Calls beyond the limit of functions that run at once are left out.`,
    `An answer has ${overheads.answerBytes} B, and ${overheads.handshakeBytes} B more with a full TLS handshake. Agents resume their sessions; client systems that call every few hours do not.`,
    `A month has ${usual.hours} h. Each node boots ${usual.bootsPerNode} times and is lost ${usual.lossesPerNode} times, each client system starts ${usual.startsPerClient} times, and ${usual.newClients * 100} % are new. Every digest shows a change. Naive: logs and alarms are left out.`,
    `List prices of ${region}, ${dates[0]} to ${dates.at(-1)}, ${freeTiers ? 'after' : 'before'} the permanent free tiers. Not confirmed in a price list: ${unsure.map(({ item }) => item).join(', ')}.`,
  ];
}

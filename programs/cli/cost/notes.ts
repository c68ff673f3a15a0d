import type { BillAsked, Month } from './bill.ts';
import { meters, prices } from './prices.ts';
import { around, usual } from './usual.ts';

/**
 * What somebody should know who reads a bill: what was measured, what was assumed, and which prices nobody has
 * confirmed.
 */
export function notesOf({ region, deadKnownInS, freeTiers, clients, covered }: BillAsked, months: readonly Month[]): readonly string[] {
  const list = Object.values(prices[region]);
  const dates = list.map(({ asOf }) => asOf).sort();
  const unsure = meters.map((meter) => prices[region][meter]).filter(({ confirmed }) => !confirmed);
  const late = clients > 0 && covered > 0 && months[0]!.deadKnownInS > deadKnownInS;
  return [
    ...(late
      ? [
          `A client system that has died is known to be gone after ${months[0]!.deadKnownInS} s, not ${deadKnownInS} s: with so many nodes heartbeats are that far apart.`,
        ]
      : []),
    ...(clients > 0 && covered < 1
      ? ['Client systems that no node sees show a sign of life once an hour; nobody is told that one of them has died.']
      : []),
    'Units, messages and log lines of each operation are counted as the code is played on a table in memory (tools/bench/units.ts).',
    `Run times are assumed: ${around.waitMs} ms for each wait for table, queue or bus, ${around.frameMs} ms for the frame, and ${around.cpuMs} ms of a whole core, of which a function has its memory's share of ${around.coreMib} MiB. Starts of environments are left out.`,
    `A queue hands out ${around.messagesPerRun} message at a time, since no batch window is set. Direct: heartbeats are decided by their endpoint, and go by the queue on transient failures alone (-c heartbeats=direct). A run leaves nothing of Lambda's own in the log, whose level for that is WARN, a call ${around.accessLogBytes} B.`,
    `Function URLs: as direct, and a heartbeat and a status check run with half of the memory, write no access log, and add four alarms; each program still begins by the API. Calls beyond what runs at once there are left out.`,
    `An answer has ${around.answerBytes} B, and ${around.handshakeBytes} B more where TLS begins anew: agents resume, client systems that call every few hours do not.`,
    `A month of ${usual.hours} h in which each node boots ${usual.bootsPerNode} times and is lost ${usual.lossesPerNode} times, each client system starts ${usual.startsPerClient} times, ${usual.newClients * 100} % are new; every digest shows a change. Naive: logs and alarms left out.`,
    `List prices of ${region}, ${dates[0]} to ${dates.at(-1)}, ${freeTiers ? 'after' : 'before'} the free tiers that do not end. Not confirmed in a price list: ${unsure.map(({ item }) => item).join(', ')}.`,
  ];
}

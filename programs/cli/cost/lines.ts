import { wiring } from '../../../infra/wiring.ts';
import type { Meter } from './prices.ts';
import { type Operation, type Usage, units } from './units.ts';
import { overheads } from './usual.ts';

/** A quantity of something that is paid for, and its purpose. */
export type Line = { readonly of: string; readonly meter: Meter; readonly quantity: number };

/**
 * The front of the functions: the API alone, or the edge before it; where heartbeats are decided; and the operations
 * that come by a function's own address instead.
 */
export type Front = { readonly edge: boolean; readonly heartbeats: 'queue' | 'direct'; readonly byUrl: ReadonlySet<Operation> };

const gb = 2 ** 30;

/** Everything that is paid for when an operation happens so many times. */
export const linesOf = (of: string, operation: Operation, times: number, front: Front): Line[] =>
  Object.entries(units.operations[operation]).flatMap(([name, usage]) => [
    ...used(of, usage, times),
    ...ran(of, front.byUrl.has(operation) ? directOf(name) : name, usage, { times, cpuMs: cpuMsOf(operation) }),
    ...(wiring.functions[name]?.routes
      ? called(of, (usage.runs ?? 0) * times, { front, byUrl: front.byUrl.has(operation), resumes: operation.startsWith('heartbeat') })
      : []),
  ]);

/** The function that answers at an address of its own the calls that another answers by the API. */
const directOf = (name: string): string => Object.entries(wiring.direct).find(([, { of }]) => of === name)?.[0] ?? name;

/** Processor time of a run, or of what an operation adds to one, on a whole core, in ms. */
function cpuMsOf(operation: Operation): number {
  if (operation === 'statusByToken') return overheads.statusCpuMs;
  return operation === 'glance' || operation === 'tick' ? overheads.glanceCpuMs : overheads.cpuMs;
}

/** Units, messages, events and lines of a function's own. */
export function used(of: string, { reads = 0, writes = 0, sends = 0, published = 0, logBytes = 0 }: Usage, times: number): Line[] {
  return [
    { of, meter: 'read-units', quantity: reads * times },
    { of, meter: 'write-units', quantity: writes * times },
    { of, meter: 'sqs-requests', quantity: sends * times },
    { of, meter: 'events', quantity: published * times },
    ...(published > 0 ? heard(of, published * times) : []),
    ...logged(of, logBytes * times),
  ];
}

/** A rule hands each event to the queue of webhooks, and a run finds that no webhook wants it. */
const heard = (of: string, events: number): Line[] => [
  { of, meter: 'sqs-requests', quantity: events },
  ...ran(of, 'webhooks', { runs: 1 }, { times: events, cpuMs: overheads.cpuMs }),
];

/**
 * Runs of a function: requests, time, Lambda's own log lines, and the calls that fetch and remove messages where it
 * consumes a queue.
 */
export function ran(of: string, name: string, { runs = 0, waits = 0 }: Usage, { times, cpuMs }: { times: number; cpuMs: number }): Line[] {
  const { memoryMib, queue }: { memoryMib: number; queue?: string } = wiring.functions[name] ?? wiring.direct[name]!;
  const together = queue ? overheads.messagesPerRun : 1;
  const each = runs * overheads.frameMs + (Math.max(runs, 1) * cpuMs * overheads.coreMib) / memoryMib + waits * overheads.waitMs;
  // Lambda counts whole milliseconds of each run; an operation that adds no run of its own lengthens another.
  const ms = runs > 0 ? Math.ceil(each / runs) * runs : each;
  const started = (runs * times) / together;
  return [
    { of, meter: 'lambda-requests', quantity: started },
    { of, meter: 'lambda-gb-seconds', quantity: ((ms * times) / 1_000) * (memoryMib / 1_024) },
    ...logged(of, started * overheads.runLogBytes),
    ...(queue ? [{ of, meter: 'sqs-requests', quantity: 2 * started } as const] : []),
  ];
}

/** Calls from outside, through the front of the functions. */
function called(of: string, calls: number, { front, byUrl, resumes }: { front: Front; byUrl: boolean; resumes: boolean }): Line[] {
  const outGb = (calls * (overheads.answerBytes + (resumes ? 0 : overheads.handshakeBytes))) / gb;
  if (byUrl) return [{ of, meter: 'out-gb', quantity: outGb }];
  return [
    { of, meter: 'api-requests', quantity: calls },
    ...logged(of, calls * overheads.accessLogBytes),
    ...(front.edge
      ? ([
          { of, meter: 'edge-requests', quantity: calls },
          { of, meter: 'filter-requests', quantity: calls },
          { of, meter: 'edge-out-gb', quantity: outGb },
        ] as const)
      : [{ of, meter: 'out-gb', quantity: outGb } as const]),
  ];
}

const logged = (of: string, bytes: number): Line[] => [
  { of, meter: 'log-gb', quantity: bytes / gb },
  { of, meter: 'log-kept-gb', quantity: bytes / gb },
];

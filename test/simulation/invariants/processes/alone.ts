import { defaultZone } from '../../../../lib/zones/zone.ts';
import type { Answered } from '../../watching.ts';
import type { SimulatedHost } from '../../world/host.ts';
import type { Court, Invariant } from '../invariant.ts';

/** As Muster's rule has it. */
const attemptsMax = 5;
const retryMs = 5_000;
/** For how long one must have been online for its attempts to be forgotten, in ms. */
const steadyMs = 180_000;
/**
 * How long after the last heartbeat that was answered an agent may start something again: before its node can be
 * dropped for its silence, in ms.
 */
const aloneMs = 25 * 60_000;

/**
 * The starts of one thing on one disk: the order that they followed, how often in a row without another, and when the
 * last one was.
 */
type Starts = { order: string; alone: number; at: number; mayBeAnew: boolean };

/** What agents start more than once for one order. */
class StartsAgain {
  readonly #court: Court;
  readonly #starts = new WeakMap<object, Map<string, Starts>>();
  readonly #answeredAt = new Map<string, number>();

  constructor(court: Court) {
    this.#court = court;
  }

  /** A host whose machine has no copy: those speak on the same line. */
  hostOf(name: string): SimulatedHost | undefined {
    const host = this.#court.world().hosts.find((one) => one.name === name);
    return host?.wasCloned ? undefined : host;
  }

  /** Something is started for an order; gives what is wrong about that. */
  started(host: SimulatedHost, what: string, order: string): string | undefined {
    const { now } = this.#court.kernel;
    const known = this.#starts.get(host.disk) ?? new Map<string, Starts>();
    this.#starts.set(host.disk, known);
    const last = known.get(what);
    if (last?.order !== order || last.mayBeAnew) {
      known.set(what, { order, alone: 0, at: now, mayBeAnew: false });
      return undefined;
    }
    const alone = now - last.at >= steadyMs ? 1 : last.alone + 1;
    const sinceMs = now - last.at;
    known.set(what, { order, alone, at: now, mayBeAnew: false });
    if (alone > attemptsMax) return `for the ${alone}th time without an order`;
    if (sinceMs < retryMs) return `again after ${sinceMs} ms`;
    return this.#unheard(host);
  }

  #unheard(host: SimulatedHost): string | undefined {
    const answeredAt = this.#answeredAt.get(host.name);
    if (answeredAt === undefined) return 'again, and Muster has never answered it';
    if (answeredAt < (host.switchedOffAt ?? 0)) return 'again, and Muster has not answered since its machine was switched off';
    const agoMs = this.#court.kernel.now - answeredAt;
    return agoMs > aloneMs ? `again, ${agoMs} ms after Muster answered it` : undefined;
  }

  /** What is told anew may be begun anew. */
  answered({ line, path, method, status, askedAt, body }: Answered): void {
    if (status !== 200) return;
    if (path.endsWith('/heartbeat')) this.#answeredAt.set(line, askedAt);
    const host = method === 'GET' && path.endsWith('/desired') ? this.hostOf(line) : undefined;
    const known = host && this.#starts.get(host.disk);
    if (!known) return;
    const { processes = [], services = [] } = JSON.parse(body) as {
      readonly processes?: readonly { readonly process: string; readonly goal: string }[];
      readonly services?: readonly { readonly service: string; readonly goal: string }[];
    };
    const told = [...processes.map(({ process, goal }) => [process, goal]), ...services.map(({ service, goal }) => [service, goal])];
    const runs = new Set(told.flatMap(([what, goal]) => (goal === 'run' ? [what] : [])));
    for (const [what, starts] of known) if (!runs.has(what)) starts.mayBeAnew = true;
  }
}

/**
 * A host whose place another may have taken must not begin anything; and what never comes up is for people to look at.
 */
export const aloneAWhile: Invariant = {
  name: 'agents-go-on-alone-for-a-while',
  says: 'what ended by itself an agent starts again without an order only within 25 minutes of a heartbeat that was answered since its machine was switched on, not before five seconds have passed, and five times in a row at the most; copies of machines aside',
  begin: (court) => {
    const starts = new StartsAgain(court);
    const judge = (name: string, what: string, order: string): void => {
      const host = starts.hostOf(name);
      const fault = host && starts.started(host, what, order);
      if (fault !== undefined) court.violated(`${what} was started on ${name} in ${host!.zone ?? defaultZone} ${fault}`);
    };
    return {
      answered: (call) => starts.answered(call),
      ran: ({ host, process, does, goal, start }) => {
        if (does === 'start' && goal === 'run') judge(host, process, String(start));
      },
      served: ({ host, service, instance, does }) => {
        if (does === 'start') judge(host, service, instance);
      },
    };
  },
};

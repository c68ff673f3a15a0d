import { type WiredQueue, wiring } from '../../infra/wiring.ts';
import type { Check } from '../../lib/core/check.ts';
import { type EpochMs, plusMs, unreachable } from '../../lib/core/time.ts';
import { inPlaceChecks } from '../../lib/ports/checks/in-place.ts';
import type { QueueName } from '../../lib/ports/queue/queue.ts';
import { applyPlan } from '../../lib/runtime/apply-plan.ts';
import type { FeedFunction, MusterFunction, QueueFunction } from '../../lib/runtime/function.ts';
import type { Shell, ShellSettings } from '../../lib/runtime/shell.ts';
import { planZone } from '../../lib/zones/create.ts';
import { defaultZone, defaultZoneNumber } from '../../lib/zones/zone.ts';
import { handlersOf, loadFunctions } from '../../programs/local/functions.ts';
import { aShell, type TestShell } from './a-shell.ts';
import { everyoneIsAdmitted } from './everyone.ts';
import { granted } from './granted.ts';
import { withOperator } from './operator.ts';
import { seeded } from './seeded.ts';

/** The initial state of a world; every setting has the value it has on AWS. */
export type WorldOptions = Partial<ShellSettings> & {
  readonly seed?: number;
  /**
   * Slots of the zone `default`, which then exists from the beginning; otherwise it has 1,024 and is created on demand.
   */
  readonly slots?: number;
  /** The hosts that are nodes as soon as they ask; by default all of them. */
  readonly admits?: 'everyone' | 'nobody';
  /** The checks by schemas that run out of time; by default none. */
  readonly isLate?: (asked: Check) => boolean;
  /** The functions that run in it; by default those of this checkout. */
  readonly functions?: ReadonlyMap<string, MusterFunction>;
};

/** An answer: JSON bodies as values, others as text. */
export type WorldReply = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: unknown };

/**
 * The whole product in memory, on a clock that only moves when it is stepped. Nothing waits, nothing is random: the
 * same steps give the same world. Every function is an environment of its own, with its own caches, as on AWS.
 */
export type World = Pick<TestShell, 'table' | 'queue' | 'bus' | 'logged' | 'now'> & {
  /** The environment of one function of the wiring. */
  readonly environment: (name: string) => Shell;
  /**
   * Calls an endpoint as HTTP would, without delivering anything. By default it calls from this machine, and the admin
   * API as its operator.
   */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
    source?: string,
  ) => Promise<WorldReply>;
  /**
   * Delivers messages under way, lets so much time pass, and runs what falls due in it: sweeps and `every`, each
   * followed by deliveries.
   */
  readonly step: (ms: number) => Promise<void>;
  /** An outage: so much time passes, nothing runs, and no call arrives. */
  readonly sleep: (ms: number) => void;
  /**
   * Runs work every so often from now on, after the sweep of the same moment, until the returned function is called.
   */
  readonly every: (periodMs: number, work: () => Promise<void>) => () => void;
};

/** How often a function runs; the sweep as often as this world wants it to. */
const periodOf = (name: string, { sweepPeriodMs }: ShellSettings): number => {
  const { queue, everySeconds } = wiring.functions[name] ?? {};
  return queue === undefined && everySeconds ? everySeconds.aws * 1_000 : sweepPeriodMs;
};

/** The delay before a message that failed transiently is received again. */
const againAfterMs = 1_000;
/** How often expired rows are removed from the table, as time to live does. */
const tidyEveryMs = 60_000;

/** Makes a world at noon in which nothing has happened yet. */
export async function stepped({
  seed = 1,
  slots,
  admits = 'everyone',
  isLate,
  functions: given,
  ...settings
}: WorldOptions = {}): Promise<World> {
  const stored = admits === 'everyone' ? everyoneIsAdmitted : undefined;
  const shell = { ...aShell(settings, stored ?? new Map()), random: seeded(seed), checks: inPlaceChecks(isLate) };
  const { table, queue, bus, logged, now } = shell;
  const functions = given ?? (await loadFunctions());
  const environments = new Map([...functions.keys()].map((name) => [name, environmentOf(shell, name)]));
  const environment = (name: string): Shell => environments.get(name)!;
  if (slots !== undefined)
    await applyPlan(environment('sweep'), { id: 'a zone' }, async () => planZone(defaultZone, defaultZoneNumber, now(), slots));

  const deliver = deliverer(functions, environment, { table, queue });
  const routine = new Routine();
  for (const [name, fn] of functions)
    if (fn.on === 'schedule') routine.every(periodOf(name, shell.settings), () => fn.handle('message', environment(name)), now());
  routine.every(tidyEveryMs, async () => void (await table.removeExpired(now(), 1_000)), now());
  return {
    table,
    queue,
    bus,
    logged,
    now,
    environment,
    call: caller(functions, environment),
    every: (periodMs, work) => routine.every(periodMs, work, now()),
    sleep: (ms) => {
      shell.step(ms);
      routine.skipTo(now());
    },
    step: async (ms) => {
      const end = plusMs(now(), ms);
      await deliver();
      for (let due = routine.next(end); due; due = routine.next(end)) {
        shell.step(due.at - now());
        await due.work();
        await deliver();
      }
      shell.step(end - now());
    },
  };
}

/**
 * The shell of one function: the same world, as far as the wiring grants it, its own caches, and as many receives as
 * its queue gives it.
 */
export const environmentOf = (shell: TestShell, name: string): Shell => {
  const from = wiring.functions[name]?.queue as WiredQueue | undefined;
  const receivesMax = from ? wiring.queues[from].receivesMax : 1;
  return granted({ ...shell, caches: new Map(), settings: { ...shell.settings, receivesMax } }, name);
};

/** Recurring work: of the due work, the earliest first, and at the same moment in the order in which it was added. */
class Routine {
  readonly #all = new Set<{ at: EpochMs; periodMs: number; work: () => Promise<void> }>();

  every(periodMs: number, work: () => Promise<void>, from: EpochMs): () => void {
    const one = { at: plusMs(from, periodMs), periodMs, work };
    this.#all.add(one);
    return () => void this.#all.delete(one);
  }

  /** Skips the work that would have run until then. */
  skipTo(now: EpochMs): void {
    for (const one of this.#all) while (one.at <= now) one.at = plusMs(one.at, one.periodMs);
  }

  next(end: EpochMs): { at: EpochMs; work: () => Promise<void> } | undefined {
    const [first] = [...this.#all].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
    if (!first) return undefined;
    const { at, work } = first;
    first.at = plusMs(at, first.periodMs);
    return { at, work };
  }
}

type Functions = ReadonlyMap<string, MusterFunction>;

/** Hands over the messages and images of queues and feed, in the order of the wiring, until nothing moves any more. */
function deliverer(functions: Functions, environment: (name: string) => Shell, { table, queue }: Pick<World, 'table' | 'queue'>) {
  let published = 0;
  const consumeFeed = async (fn: FeedFunction, shell: Shell): Promise<boolean> => {
    const images = table.feed.slice(published, published + 100);
    if (images.length > 0) await fn.handle(images, shell);
    published += images.length;
    return images.length > 0;
  };
  const consume = async (fn: QueueFunction, shell: Shell, from: QueueName): Promise<boolean> => {
    const messages = await queue.receive(from, wiring.queues[from].batchMax, againAfterMs);
    const failed = messages.length > 0 ? await fn.handle(messages, shell) : [];
    await queue.acknowledge(
      from,
      messages.flatMap(({ id }) => (failed.includes(id) ? [] : [id])),
    );
    return messages.length > 0;
  };
  const round = async (): Promise<boolean> => {
    let moved = false;
    for (const [name, fn] of functions) {
      if (fn.on === 'queue') moved = (await consume(fn, environment(name), wiring.functions[name]!.queue!)) || moved;
      else if (fn.on === 'feed') moved = (await consumeFeed(fn, environment(name))) || moved;
      else if (fn.on !== 'route' && fn.on !== 'schedule') unreachable(fn);
    }
    return moved;
  };
  return async (): Promise<void> => {
    while (await round());
  };
}

/** Calls handlers by the wiring's routes. */
function caller(functions: Functions, environment: (name: string) => Shell): World['call'] {
  const handlers = handlersOf(functions);
  return async (method, target, body, headers = {}, source = '127.0.0.1') => {
    const [path = '', query = ''] = target.split('?');
    const found = handlers.find(({ prefix }) => path.startsWith(prefix))!;
    const [name] = [...functions].find(([, fn]) => fn === found.handler)!;
    const shell = environment(name);
    const json = body !== undefined && { 'content-type': 'application/json' };
    const sent = withOperator(path, { ...json, ...headers });
    const request = { id: shell.newId(), method, path, query, body: body === undefined ? '' : JSON.stringify(body), source };
    const reply = await found.handler.handle({ ...request, header: (one) => sent[one] }, shell);
    const isJson = reply.headers?.['content-type']?.includes('json');
    return { status: reply.status, headers: reply.headers ?? {}, body: isJson ? JSON.parse(reply.body!) : reply.body };
  };
}

import * as z from 'zod';
import { type EpochMs, minuteMs } from '../../../../lib/core/time.ts';
import type { Answered, ServerApi, Values } from '../api/server-api.ts';
import { type Ask, askOf, ReadRefused } from '../metadata/kinds.ts';
import { callsOf, idsOf, isToSchedule, type Made, type Order, systemsOfCall } from './order.ts';

/** Without a trace on the server for this long, a call whose answer was lost counts as unknown. */
const lookForMs = 2 * minuteMs;

/** How orders are scheduled: `keep` writes the order down, `login` is that of the account. */
export type SchedulingOptions = {
  readonly server: ServerApi;
  login(): string | undefined;
  now(): EpochMs;
  keep(order: Order): void;
};

/**
 * Makes the calls of an order that are left, each after it was written down that it is about to be made. One that was
 * under way when the agent or the server ended is never made again: its action is looked for by its moment. Throws
 * ServerDown when the server does not answer.
 */
export async function scheduleOrder(first: Order, options: SchedulingOptions): Promise<Order> {
  const { server, now, keep } = options;
  const ask = askOf(server);
  let order = first;
  if (order.begunAt !== undefined) {
    const made = await found(order, order.begunAt, ask, options);
    if (!made) return order;
    order = keeping(order, made, keep);
  }
  if (now() > order.until) order = given(order, late, keep);
  if (!isToSchedule(order)) return order;
  // A server that does not answer now is not asked to do anything, so that nothing is left unknown.
  await ask('api.getVersion', {}, z.unknown());
  const errata = await errataOf(order, ask);
  if (typeof errata === 'string') return given(order, errata, keep);
  while (isToSchedule(order)) {
    // Each call takes its time: that of the order may pass between two of them.
    if (now() > order.until) return given(order, late, keep);
    order = { ...order, begunAt: now() };
    keep(order);
    const { method, values } = callFor(order, errata);
    order = keeping(order, madeBy(await server.writes(method, values)), keep);
  }
  return order;
}

/** The order without the calls that are left, for a reason. */
function given(order: Order, refused: string, keep: SchedulingOptions['keep']): Order {
  const rest = Array.from({ length: Math.max(0, callsOf(order) - order.made.length) }, (): Made => ({ refused }));
  const next: Order = { ...order, made: [...order.made, ...rest] };
  if (rest.length > 0) keep(next);
  return next;
}

const late = 'the time of the order had passed before the server could be asked';

function keeping({ begunAt: _done, ...order }: Order, made: Made, keep: SchedulingOptions['keep']): Order {
  const next: Order = { ...order, made: [...order.made, made] };
  keep(next);
  return next;
}

const Ids = z.union([z.array(z.int()), z.int().transform((id) => [id])]);

function madeBy(answered: Answered<unknown>): Made {
  if (!answered.ok) return { refused: `the server refuses it (${answered.why})` };
  const ids = Ids.safeParse(answered.value);
  return ids.success ? { ids: ids.data } : { unknown: true };
}

/** The call that schedules the next client systems of an order. */
export function callFor(order: Order, errataIds: readonly number[]): { readonly method: string; readonly values: Values } {
  const { what, number } = order;
  const sids = systemsOfCall(order, order.made.length).map(({ sid }) => sid);
  const earliestOccurrence = new Date(order.earliest).toISOString();
  switch (what.do) {
    case 'highstate':
      return { method: 'system.scheduleApplyHighstate', values: { sids, earliestOccurrence, test: what.test } };
    case 'packages':
      return { method: 'system.schedulePackageUpdate', values: { sids, earliestOccurrence } };
    case 'errata':
      return {
        method: 'system.scheduleApplyErrata',
        values: { sids, errataIds, earliestOccurrence, allowModules: true, onlyRelevant: true, allowVendorChange: false },
      };
    case 'reboot':
      return { method: 'system.scheduleReboot', values: { sid: sids[0], earliestOccurrence } };
    case 'unknown':
      throw new Error('an action that this agent does not know has no client systems to schedule it for');
    case 'command': {
      const { user: username, group: groupname, timeoutSeconds: timeout, script } = what;
      const label = `Muster action ${number}`;
      return { method: 'system.scheduleScriptRun', values: { label, sids, username, groupname, timeout, script, earliestOccurrence } };
    }
  }
}

/** The numbers of the errata of an order on this server, or why they cannot be applied. */
async function errataOf({ what }: Order, ask: Ask): Promise<readonly number[] | string> {
  if (what.do !== 'errata') return [];
  const ids: number[] = [];
  for (const advisoryName of what.advisories) {
    try {
      ids.push((await ask('errata.getDetails', { advisoryName }, z.object({ id: z.int() }))).id);
    } catch (error) {
      if (!(error instanceof ReadRefused)) throw error;
      return `this server does not have ${advisoryName} (${error.message})`;
    }
  }
  return ids;
}

/** The actions of a server: those that it has scheduled by itself have no scheduler. */
const Listed = z.array(
  z.object({ id: z.int(), scheduler: z.string().optional().catch(undefined), earliest: z.string().optional().catch(undefined) }),
);

/**
 * What became of a call whose answer was lost: the actions that this account has scheduled for the moment of the order,
 * and that no other call has; undefined as long as one may still appear, also where the server refuses the list.
 */
async function found(order: Order, begunAt: EpochMs, ask: Ask, { login, now }: SchedulingOptions): Promise<Made | undefined> {
  const known = new Set(idsOf(order));
  const own = login();
  const all = await ask('schedule.listAllActions', {}, Listed).catch((error: unknown) => {
    if (error instanceof ReadRefused) return [];
    throw error;
  });
  const ids = all
    .filter(({ id, scheduler, earliest = '' }) => scheduler === own && Date.parse(earliest) === order.earliest && !known.has(id))
    .map(({ id }) => id);
  if (ids.length > 0) return { ids };
  return now() - begunAt < lookForMs ? undefined : { unknown: true };
}

import type { ActionNumber } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { endedOf, isLost, lostAfter } from './decide.ts';
import type { PartView, Progress, SystemActionView } from './routes.ts';
import { type ActionOfNode, examplesShownMax, type SystemAction } from './rows/system-action.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** An action with the parts of its nodes, in the order of these. */
export type Shown = {
  readonly number: ActionNumber;
  readonly order: SystemAction;
  readonly parts: readonly (ActionOfNode | undefined)[];
  readonly mayReadScript: boolean;
};

/** An action on client systems for people and programs. */
export function systemActionView({ number, order, parts, mayReadScript }: Shown, now: EpochMs): SystemActionView {
  const { what, by, orderedAt, until, expiresAt } = order;
  const nodes = order.nodes.map((node, n) => partView(order, node, parts[n], now));
  const sum = sumOf(nodes);
  const examples = inTurns(parts.flatMap((part) => (part ? [part.examples] : []))).slice(0, examplesShownMax);
  const isEnded = nodes.every(({ state }) => state === 'ended' || state === 'late');
  return {
    number,
    what: what.do === 'command' && !mayReadScript ? { do: 'command' } : what,
    by,
    orderedAt: iso(orderedAt),
    state: order.state === 'collecting' ? 'collecting' : isEnded ? 'ended' : 'under-way',
    until: iso(until),
    expiresAt: iso(expiresAt),
    ...sum,
    nodes,
    examples,
    others: Math.max(0, sum.failed + sum.left + sum.unknown + sum.cancelled - examples.length),
  };
}

/** The first of each list, then the second of each, and so on: no node hides those of the others. */
const inTurns = <T>(lists: readonly (readonly T[])[]): T[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, n) => lists.flatMap((list) => list.slice(n, n + 1))).flat();

const none: Progress = { systems: 0, inProgress: 0, done: 0, failed: 0, left: 0, unknown: 0, cancelled: 0 };

const sumOf = (nodes: readonly Progress[]): Progress =>
  nodes.reduce(
    (sum, one) => ({
      systems: sum.systems + one.systems,
      inProgress: sum.inProgress + one.inProgress,
      done: sum.done + one.done,
      failed: sum.failed + one.failed,
      left: sum.left + one.left,
      unknown: sum.unknown + one.unknown,
      cancelled: sum.cancelled + one.cancelled,
    }),
    none,
  );

const lateBecause = 'its agent has not taken it in time: is it running, with --uyuni-account?';

const lostBecause = 'its agent has not reported in time what became of it: it may have lost its folder. Nothing is scheduled again';

function partView(
  { state, orderedAt, until }: SystemAction,
  { node, fqdn, systems }: SystemAction['nodes'][number],
  part: ActionOfNode | undefined,
  now: EpochMs,
): PartView {
  const own = { ...none, node, fqdn, systems };
  if (!part && state === 'ordered' && now > until) return { ...own, left: systems, state: 'late', at: iso(until), why: lateBecause };
  if (!part) return { ...own, inProgress: systems, state: 'waiting', at: iso(orderedAt) };
  const { done, failed, left, unknown, cancelled, at, id, why } = part;
  const lostAt = isLost(part, now) ? lostAfter(part) : undefined;
  const rest = part.systems - endedOf(part);
  return {
    ...own,
    ...{ inProgress: rest, done, failed, left, unknown, cancelled },
    state: part.state,
    at: iso(at),
    ...(id !== undefined && { id }),
    ...(why !== undefined && { why }),
    ...(lostAt !== undefined && { inProgress: 0, unknown: unknown + rest, state: 'ended', at: iso(lostAt), why: lostBecause }),
  };
}

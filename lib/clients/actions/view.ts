import type { ActionNumber } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { endedOf } from './decide.ts';
import type { PartView, Progress, SystemActionView } from './routes.ts';
import type { ActionOfNode, SystemAction } from './rows/system-action.ts';

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
  const isEnded = nodes.every(({ state }) => state === 'ended' || state === 'late');
  return {
    number,
    what: what.do === 'command' && !mayReadScript ? { do: 'command' } : what,
    by,
    orderedAt: iso(orderedAt),
    state: order.state === 'collecting' ? 'collecting' : isEnded ? 'ended' : 'under-way',
    until: iso(until),
    expiresAt: iso(expiresAt),
    ...sumOf(nodes),
    nodes,
    examples: parts.flatMap((part) => part?.examples ?? []),
  };
}

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
  return {
    ...own,
    ...{ inProgress: part.systems - endedOf(part), done, failed, left, unknown, cancelled },
    state: part.state,
    at: iso(at),
    ...(id !== undefined && { id }),
    ...(why !== undefined && { why }),
  };
}

import { dayMs, hourMs, minuteMs, secondMs } from '../../lib/core/time.ts';

/** So many nodes fall silent `atMs` after the start, and come back `forMs` later. */
export type Outage = { readonly atMs: number; readonly nodes: number; readonly forMs: number };

const units: Readonly<Record<string, number>> = { ms: 1, s: secondMs, m: minuteMs, h: hourMs };
const spanOf = (text: string): number | undefined => {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(amount) * (units[unit ?? ''] ?? Number.NaN);
  return ms <= dayMs ? ms : undefined;
};

/**
 * Reads `at=60s,nodes=10,for=120s`, its parts in any order; undefined for anything else, also for no nodes or no time.
 */
export function readOutage(text: string): Outage | undefined {
  const parts = text.split(',').map((part) => part.split('='));
  const given = new Map(parts.map(([name, value]) => [name, value]));
  if (parts.length !== 3 || given.size !== 3 || parts.some((part) => part.length !== 2)) return undefined;
  const atMs = spanOf(given.get('at') ?? '');
  const forMs = spanOf(given.get('for') ?? '');
  const nodes = /^\d{1,6}$/.test(given.get('nodes') ?? '') ? Number(given.get('nodes')) : 0;
  return atMs === undefined || !forMs || nodes === 0 ? undefined : { atMs, nodes, forMs };
}

/** The most nodes that are silent at once. */
export const silentMax = (outages: readonly Outage[]): number =>
  Math.max(
    0,
    ...outages.map(({ atMs }) =>
      outages.filter((other) => other.atMs <= atMs && atMs < other.atMs + other.forMs).reduce((sum, { nodes }) => sum + nodes, 0),
    ),
  );

/** The reason why a schedule is impossible with so many nodes in so much time; undefined when it is possible. */
export function faultOfOutages(outages: readonly Outage[], { nodes, forMs }: { nodes: number; forMs: number }): string | undefined {
  const late = outages.find(({ atMs }) => atMs >= forMs);
  if (late) return `a failure at ${late.atMs / secondMs} s is after the end, at ${forMs / secondMs} s`;
  const silent = silentMax(outages);
  return silent > nodes ? `${silent} nodes would be silent at once, and there are ${nodes}` : undefined;
}

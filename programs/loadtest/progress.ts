import type { Second } from './report.ts';

/**
 * One second in one line: knocks and status calls a second, latency of client systems' calls, client systems and nodes
 * by status, errors by slug.
 */
export function lineOf(second: Second): string {
  const { atS, calls, clientCalls, clients, nodes, silent, errors, waiting } = second;
  const parts = [
    `${Math.round(atS)} s`,
    `knocks ${calls['knock'] ?? 0}/s`,
    `status ${calls['status'] ?? 0}/s`,
    clientCalls.count > 0 && `p50 ${shortMs(clientCalls.p50Ms)} p99 ${shortMs(clientCalls.p99Ms)}`,
    listed('clients', clients),
    listed('nodes', nodes ?? {}),
    silent > 0 && `silenced ${silent}`,
    waiting > 0 && `waiting ${waiting}`,
    listed('errors', errors),
  ];
  return parts.filter(Boolean).join('  ');
}

const listed = (what: string, counts: Readonly<Record<string, number>>): string | undefined => {
  const there = Object.entries(counts).filter(([, count]) => count > 0);
  return there.length === 0 ? undefined : `${what} ${there.map(([name, count]) => `${count} ${name}`).join(' ')}`;
};

/** Three digits are enough to watch. */
const shortMs = (ms: number): string => `${Number(ms.toPrecision(3))} ms`;

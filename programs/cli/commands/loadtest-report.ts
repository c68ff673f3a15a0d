import type { Report } from '../../loadtest/report.ts';
import type { Cli } from '../cli.ts';

/** A report as tables: the calls with their latencies, and everything else in a few lines. */
export function reportText(cli: Cli, { totals, configuration, ended }: Report): string {
  const { clients, nodes = {}, errors, seconds, waitingMax, lateMaxMs } = totals;
  const rows = Object.entries(totals.calls).sort(([, a], [, b]) => b.count - a.count);
  const calls = cli.table(rows, [
    { title: 'CALL', of: ([call]) => call },
    { title: 'ANSWERED', align: 'right', of: ([, { count }]) => String(count) },
    { title: 'PER S', align: 'right', of: ([, { count }]) => (count / Math.max(1, seconds)).toFixed(1) },
    ...(['p50Ms', 'p90Ms', 'p99Ms', 'maxMs'] as const).map((at) => ({
      title: at.slice(0, -2).toUpperCase(),
      align: 'right' as const,
      of: ([, latencies]: (typeof rows)[number]) => `${Number(latencies[at].toPrecision(3))} ms`,
    })),
  ]);
  return `${calls}${cli.details({
    zone: configuration.zone,
    time: `${seconds.toFixed(0)} s${ended === 'interrupted' ? ', interrupted' : ''}`,
    clients: counted(clients),
    nodes: counted(nodes),
    errors: counted(errors) || 'none',
    'in this process': `at most ${waitingMax} calls waited for their turn, timers were up to ${lateMaxMs.toFixed(0)} ms late`,
  })}`;
}

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

import { few } from '../../lib/core/few.ts';
import { type Curve, escaped, type Plot, plotted } from './plot.ts';
import type { Latencies, Report, Second } from './report.ts';

/** A report as one page that needs nothing else: no script, no font, no picture from anywhere. */
export function pageOf(report: Report): string {
  const { muster, configuration, startedAt, totals, ended } = report;
  const title = `Load test of ${muster.deployment}`;
  const subtitle = `${formatted(configuration.nodes)} nodes, ${formatted(configuration.clients)} client systems, ${formatted(configuration.rate)} more a second, ${formatted(Math.round(totals.seconds))} s from ${startedAt}${ended === 'interrupted' ? ', interrupted' : ''}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
<p>${escaped(subtitle)}</p>
${plots(report).map(figure).join('\n')}
<h2>Calls</h2>
${table(['call', 'answered', 'a second', 'mean', 'p50', 'p90', 'p99', 'p99.9', 'longest'], callRows(report))}
<h2>Errors</h2>
${counted('error', 'times', totals.errors, 'no call was refused or unanswered')}
<h2>At the end</h2>
${counted('client systems', 'number', totals.clients, 'no client systems')}
${counted('nodes', 'number', totals.nodes ?? {}, 'Muster has not reported its nodes')}
<h2>Failures</h2>
${failures(report)}
<h2>Run</h2>
${table(['', ''], runRows(report))}
</body>
</html>
`;
}

/**
 * Styles for light and dark. The curves' colours have one lightness in each, and people who do not see red and green
 * can distinguish them.
 */
const style = `
:root { color-scheme: light dark; --bg: #fff; --text: #1c2430; --soft: #5b6676; --grid: #dfe4ea; --mark: #d9480f22; --fail: #d9480f;
  --c1: #1c6dd0; --c2: #d9730d; --c3: #1f8a5b; --c4: #8a4fc7; --c5: #c2255c; --c6: #6b7785; --c7: #0b8a99; --c8: #a07a00; }
@media (prefers-color-scheme: dark) { :root { --bg: #12161c; --text: #e4e9f0; --soft: #9aa6b5; --grid: #2b333e; --mark: #ff922b2e; --fail: #ff922b;
  --c1: #6cb0ff; --c2: #ffab5e; --c3: #5fd39b; --c4: #c49bff; --c5: #ff8ab0; --c6: #9aa6b5; --c7: #4fd0de; --c8: #e0b93a; } }
body { background: var(--bg); color: var(--text); font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; } p { color: var(--soft); margin: .2rem 0 1rem; }
figure { margin: 1.5rem 0; } figcaption { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin-bottom: .3rem; } figcaption b { margin-right: auto; }
figcaption i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--soft); font-size: 12px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin-bottom: 1rem; }
th, td { padding: .25rem .8rem; text-align: right; border-bottom: 1px solid var(--grid); overflow-wrap: anywhere; }
th { font-weight: 600; color: var(--soft); } th:first-child, td:first-child { text-align: left; padding-left: 0; }
`;

const figure = (plot: Plot): string =>
  `<figure>\n<figcaption><b>${escaped(plot.title)}, ${escaped(plot.unit)}</b>${plot.curves
    .map(({ name, colour }) => `<span><i style="background: var(--c${colour})"></i>${escaped(name)}</span>`)
    .join(
      '',
    )}${plot.marks.length > 0 ? '<span><i style="background: var(--fail)"></i>nodes silenced</span>' : ''}</figcaption>\n${plotted(plot)}\n</figure>`;

function plots({ seconds, failures, totals }: Report): Plot[] {
  const atS = seconds.map((second) => second.atS);
  const marks = failures.map(({ atS: fromS, backS, nodes }) => ({
    fromS,
    toS: backS ?? totals.seconds,
    label: `${nodes.length} nodes silent`,
  }));
  const spans = seconds.map((second, n) => Math.max(0.001, second.atS - (seconds[n - 1]?.atS ?? 0)));
  const rate = (call: string) => seconds.map(({ calls }, n) => (calls[call] ?? 0) / spans[n]!);
  const latency = (of: 'clientCalls' | 'nodeCalls', at: 'p50Ms' | 'p99Ms') =>
    seconds.map((second) => (second[of].count > 0 ? second[of][at] : undefined));
  const common = { atS, marks };
  return [
    { ...common, title: 'Calls', unit: 'a second', curves: curves(['knock', 'status', 'orphan', 'heartbeat'], rate) },
    {
      ...common,
      title: 'Latency',
      unit: 'ms',
      curves: [
        { name: 'client systems p50', colour: 1, values: latency('clientCalls', 'p50Ms') },
        { name: 'client systems p99', colour: 2, values: latency('clientCalls', 'p99Ms') },
        { name: 'nodes p50', colour: 3, values: latency('nodeCalls', 'p50Ms') },
        { name: 'nodes p99', colour: 4, values: latency('nodeCalls', 'p99Ms') },
      ],
    },
    { ...common, title: 'Client systems', unit: 'by status', stacked: true, curves: counts(seconds, 'clients', phases) },
    { ...common, title: 'Nodes', unit: 'by status, as Muster has it', stacked: true, curves: counts(seconds, 'nodes', statuses) },
    {
      ...common,
      title: 'Errors',
      unit: 'a second',
      curves: curves(Object.keys(totals.errors), (slug) => seconds.map(({ errors }, n) => (errors[slug] ?? 0) / spans[n]!)),
    },
  ].filter((plot) => plot.curves.length > 0);
}

/** Phases and statuses in the order in which they are stacked, with the good ones at the bottom. Others follow. */
const phases = ['onboarded', 'told', 'orphan', 'new', 'unheard', 'deleted'];
const statuses = ['up', 'leaving', 'suspect', 'down', 'joining', 'starting'];

/** The number of colours of a page. */
const colours = 8;

const curves = (names: readonly string[], of: (name: string) => (number | undefined)[]): Curve[] =>
  names.map((name, n) => ({ name, colour: (n % colours) + 1, values: of(name) }));

function counts(seconds: readonly Second[], of: 'clients' | 'nodes', order: readonly string[]): Curve[] {
  const there = new Set(seconds.flatMap((second) => Object.keys(second[of] ?? {}).filter((name) => second[of]![name]! > 0)));
  const names = [...order.filter((name) => there.has(name)), ...[...there].filter((name) => !order.includes(name)).sort()];
  return curves(names, (name) => seconds.map((second) => second[of]?.[name]));
}

const formatted = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });
const formattedMs = (ms: number): string => `${ms.toLocaleString('en-US', { maximumSignificantDigits: 3 })} ms`;

const callRows = ({ totals }: Report): string[][] =>
  Object.entries(totals.calls)
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([call, latencies]) => [
      call,
      formatted(latencies.count),
      formatted(latencies.count / Math.max(1, totals.seconds)),
      ...spansOf(latencies),
    ]);

const spansOf = ({ meanMs, p50Ms, p90Ms, p99Ms, p999Ms, maxMs }: Latencies): string[] =>
  [meanMs, p50Ms, p90Ms, p99Ms, p999Ms, maxMs].map(formattedMs);

const counted = (what: string, how: string, counts: Readonly<Record<string, number>>, none: string): string => {
  const rows = Object.entries(counts).map(([name, count]) => [name, formatted(count)]);
  return rows.length > 0 ? table([what, how], rows) : `<p>${escaped(none)}</p>`;
};

const failures = ({ failures: all }: Report): string =>
  all.length === 0
    ? '<p>no node was silenced</p>'
    : table(
        ['silent from', 'back at', 'nodes'],
        all.map(({ atS, backS, nodes }) => [
          `${formatted(atS)} s`,
          backS === undefined ? 'not back' : `${formatted(backS)} s`,
          few(nodes, 3),
        ]),
      );

function runRows({ run, muster, machine, configuration, totals }: Report): string[][] {
  const { zone, connections, forMs } = configuration;
  return [
    ['run', run],
    ['deployment', `${muster.deployment} at ${muster.endpoint}, version ${muster.version}`],
    ['zone', zone],
    ['asked for', `${formatted(forMs / 1_000)} s, at most ${formatted(connections)} calls under way`],
    ['load generator', `Node.js ${machine.node}, ${machine.platform}, ${machine.cpus} processors, ${formatted(machine.memoryMib)} MiB`],
    ['most calls waiting for their turn in it', formatted(totals.waitingMax)],
    ['its timers were late by at most', formattedMs(totals.lateMaxMs)],
  ];
}

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cells = (of: readonly string[], tag: string) => `<tr>${of.map((text) => `<${tag}>${escaped(text)}</${tag}>`).join('')}</tr>`;
  const head = heads.some((text) => text !== '') ? `<thead>${cells(heads, 'th')}</thead>` : '';
  return `<table>${head}<tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody></table>`;
};

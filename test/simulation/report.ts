import { hourMs } from '../../lib/core/time.ts';
import { table } from '../../programs/cli/output/table.ts';
import { type Config, type FaultKind, faultKinds, faultNames } from './config.ts';
import type { Outcome, Violation } from './outcome.ts';

/** What many histories come to. */
export type Totals = {
  seeds: number;
  /** The least and the greatest seed; undefined while there is none. */
  first: number | undefined;
  last: number | undefined;
  steps: number;
  virtualMs: number;
  failed: number;
  readonly faults: Readonly<Record<FaultKind, { histories: number; fired: number }>>;
};

export const noTotals = (): Totals => ({
  seeds: 0,
  first: undefined,
  last: undefined,
  steps: 0,
  virtualMs: 0,
  failed: 0,
  faults: Object.fromEntries(faultNames.map((kind) => [kind, { histories: 0, fired: 0 }])) as Totals['faults'],
});

/** Counts one more history. */
export function count(totals: Totals, { config, fired, steps, virtualMs, violations }: Outcome): void {
  totals.seeds += 1;
  totals.first = Math.min(config.seed, totals.first ?? config.seed);
  totals.last = Math.max(config.seed, totals.last ?? config.seed);
  totals.steps += steps;
  totals.virtualMs += virtualMs;
  if (violations.length > 0) totals.failed += 1;
  for (const kind of faultNames) {
    if ((config.faults[kind] ?? 0) > 0) totals.faults[kind].histories += 1;
    totals.faults[kind].fired += fired[kind];
  }
}

/** How far it is, in a line. `of` is how many seeds there are in all, where that is known. */
export const progressLine = ({ seeds, steps, virtualMs, failed }: Totals, elapsedMs: number, of: number): string =>
  [
    `${whole(seeds)}${of < 2 ** 31 ? ` of ${whole(of)}` : ''} seeds`,
    `${(seeds / seconds(elapsedMs)).toFixed(1)} seeds/s`,
    `${whole(steps / seconds(elapsedMs))} steps/s`,
    `${whole(virtualMs / hourMs)} virtual hours`,
    ...(failed > 0 ? [`${whole(failed)} failed`] : []),
  ].join(', ');

/** The table at the end: how much was simulated, and which faults there were. */
export function summary(totals: Totals, elapsedMs: number): string {
  const rows = faultNames.map((kind) => ({ kind, ...totals.faults[kind] }));
  const never = rows.filter(({ fired }) => fired === 0).map(({ kind }) => kind);
  return [
    `${progressLine(totals, elapsedMs, Number.POSITIVE_INFINITY)}, ${whole(totals.steps)} steps in ${seconds(elapsedMs).toFixed(0)} s\n\n`,
    table(
      rows,
      [
        { title: 'fault', of: ({ kind }) => kind },
        { title: 'histories', align: 'right', of: ({ histories }) => whole(histories) },
        { title: 'times', align: 'right', of: ({ fired }) => whole(fired) },
        { title: 'what happens', of: ({ kind }) => faultKinds[kind] },
      ],
      false,
    ),
    never.length === 0 ? '' : `\nnever happened: ${never.join(', ')}\n`,
  ].join('');
}

/** The same for programs. */
export const summaryAsJson = ({ seeds, steps, virtualMs, failed, faults }: Totals, elapsedMs: number): string =>
  `${JSON.stringify({ seeds, failed, steps, virtualMs, elapsedMs: Math.round(elapsedMs), faults })}\n`;

/** A failure: what was violated, and how to see it. */
export const failure = ({ invariant, what, atMs, step }: Violation, config: Config): string =>
  `${invariant} was violated by seed ${config.seed}, after ${moment(atMs)} and ${whole(step)} steps:\n${indented(what)}\n`;

/** What to call to see a history step by step; `planted` is the bug its code had. */
export const commandOf = (config: Config, planted: string | undefined): string =>
  `npm run simulate -- --config '${JSON.stringify(config)}'${planted === undefined ? '' : ` --planted ${planted}`} --trace`;

/** A span since the beginning as hours, minutes and seconds to the millisecond. */
export function moment(atMs: number): string {
  const [hours, minutes, rest] = [Math.floor(atMs / hourMs), Math.floor(atMs / 60_000) % 60, (atMs % 60_000) / 1000];
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}:${rest.toFixed(3).padStart(6, '0')}`;
}

const seconds = (ms: number): number => Math.max(ms, 1) / 1000;
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const indented = (text: string): string => text.replaceAll(/^/gm, '  ');

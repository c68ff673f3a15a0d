import { hourMs } from '../../lib/core/time.ts';
import type { Failed } from './campaign.ts';
import { type FaultKind, faultKinds, faultNames } from './config.ts';
import { commandOf, failure, type Totals } from './report.ts';

/** What a report of a day rests on. */
export type Day = {
  /** When it began. */
  readonly begunAt: Date;
  /** What was run, as git names it. */
  readonly commit: string;
  readonly elapsedMs: number;
  /** No more histories follow. */
  readonly isOver: boolean;
  readonly totals: Totals;
  readonly failed: readonly Failed[];
  /** Histories that failed once and fail again, each as it was told. */
  readonly back: readonly string[];
  /** The bug that the code was given, if any. */
  readonly planted: string | undefined;
};

/**
 * Many histories as a page in Markdown: what was run, what was violated with the command that replays it, and which
 * faults there were.
 */
export function reportOfDay({ begunAt, commit, elapsedMs, isOver, totals, failed, back, planted }: Day): string {
  const { seeds, first, last, steps, virtualMs } = totals;
  const figures: readonly (readonly [string, string])[] = [
    ['commit', `\`${commit}\``],
    ['begun', `${begunAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['ended', isOver ? `after ${(elapsedMs / hourMs).toFixed(2)} h` : `not yet, after ${(elapsedMs / hourMs).toFixed(2)} h`],
    ['seeds', first === undefined ? 'none' : `${first} to ${last}`],
    ['histories', whole(seeds)],
    ['steps', whole(steps)],
    ['virtual hours', whole(virtualMs / hourMs)],
    ['violations', whole(totals.failed + back.length)],
  ];
  return [
    `# Simulation of ${begunAt.toISOString().slice(0, 10)}\n`,
    `| | |\n|---|---:|\n${figures.map(([what, is]) => `| ${what} | ${is} |`).join('\n')}\n`,
    '## Violations\n',
    failed.length + back.length === 0 ? 'None.\n' : [...back.map(toldBack), ...failed.map((one) => told(one, planted))].join('\n'),
    '## Faults\n',
    `| fault | histories | times | what happens |\n|---|---:|---:|---|\n${faultNames.map((kind) => line(kind, totals)).join('\n')}\n`,
  ].join('\n');
}

const told = ({ violation, config, tries, isRepeated }: Failed, planted: string | undefined): string =>
  [
    `### \`${violation.invariant}\`, seed ${config.seed}\n`,
    isRepeated ? 'The same invariant as above, as its seed draws it.\n' : `As small as ${tries} tries made it.\n`,
    `${fenced(`${failure(violation, config)}\n${commandOf(config, planted)}`)}\n`,
  ].join('\n');

const toldBack = (text: string): string => `### A history that failed once\n\n${fenced(text)}\n`;

/** A block of text, behind a fence longer than any in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}

const line = (kind: FaultKind, { faults }: Totals): string =>
  `| \`${kind}\` | ${whole(faults[kind].histories)} | ${whole(faults[kind].fired)} | ${faultKinds[kind]} |`;

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

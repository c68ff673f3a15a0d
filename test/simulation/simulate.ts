import { seedsWithin } from './budget.ts';
import { campaign, type Failed } from './campaign.ts';
import type { Asked } from './command-line.ts';
import { type Config, drawnBy, type FaultKind } from './config.ts';
import { configFrom } from './configuration.ts';
import { reportOfDay } from './day-report.ts';
import { judged } from './judged.ts';
import type { Outcome } from './outcome.ts';
import { addRegression, type Regression, readRegressions, regressionOf } from './regressions.ts';
import { commandOf, count, failure, noTotals, progressLine, summary, summaryAsJson, type Totals } from './report.ts';

/** How long beyond its time a run may go on making a failure smaller, in ms. */
const shrinkingMs = 60_000;

/** What a run of the program touches besides histories. */
export type Around = {
  readonly run: (config: Config) => Promise<Outcome>;
  /** Milliseconds, from any beginning. */
  readonly now: () => number;
  readonly today: () => Date;
  readonly out: (text: string) => void;
  /** Shows how far it is; called after every history. */
  readonly progress: (line: string) => void;
  /** What is run, as git names it. */
  readonly commit: () => string;
  /** Replaces a file. */
  readonly write: (file: string, text: string) => void;
  /** Nobody waits for this any more: no history begins. */
  readonly interrupted: () => boolean;
};

/**
 * Runs the regressions, then the seeds that were asked for, and reports; gives whether every invariant held in all of
 * them.
 */
export async function simulate(asked: Asked, around: Around): Promise<boolean> {
  const startedAt = around.now();
  const elapsed = (): number => around.now() - startedAt;
  const totals = noTotals();
  const page = pageOf(asked, around, { totals, elapsed });
  const back = asked.regressions === undefined ? [] : await runRegressions(regressionsFor(asked, asked.regressions), asked, around);
  page.back.push(...back);
  // What failed once runs in any case, and takes nothing from the time for other histories.
  const before = elapsed();
  const of = asked.config ? 1 : asked.seeds.to - asked.seeds.from + 1;
  await campaign(configsOf(asked, around, asked.forMs), {
    run: around.run,
    jobs: asked.jobs,
    done: (outcome) => {
      count(totals, outcome);
      around.progress(progressLine(totals, elapsed(), of));
    },
    shrinks: ({ invariant }, { seed }) => around.out(`seed ${seed} violated ${invariant}, and is made smaller\n`),
    failed: (failed) => {
      tell(failed, asked, around);
      page.failed.push(failed);
      page.write(false);
    },
    enough: () => around.interrupted() || elapsed() - before > asked.forMs + shrinkingMs,
  });
  around.out(asked.json ? summaryAsJson(totals, elapsed()) : summary(totals, elapsed()));
  page.write(true);
  return totals.failed + back.length === 0;
}

type Page = { readonly failed: Failed[]; readonly back: string[]; readonly write: (isOver: boolean) => void };

/**
 * The page about a run, which is written with each violation: whoever ends the run before its time has it all the same.
 */
function pageOf(
  { report, planted }: Asked,
  { today, commit, write }: Around,
  { totals, elapsed }: { readonly totals: Totals; readonly elapsed: () => number },
): Page {
  const page = { failed: [] as Failed[], back: [] as string[] };
  const begun = report === undefined ? undefined : { begunAt: today(), commit: commit() };
  return {
    ...page,
    write: (isOver) => {
      if (begun) write(report!, reportOfDay({ ...begun, ...page, totals, elapsedMs: elapsed(), isOver, planted }));
    },
  };
}

function* configsOf({ config, seeds, gateway, kinds }: Asked, { now, interrupted }: Around, forMs: number): Generator<Config> {
  if (config) return yield configFrom(config);
  for (const seed of seedsWithin(seeds, forMs, now)) {
    if (interrupted()) return;
    yield only(drawnBy({ seed, gateway }), kinds);
  }
}

const only = (config: Config, kinds: readonly FaultKind[]): Config => ({
  ...config,
  faults: Object.fromEntries(Object.entries(config.faults).filter(([kind]) => (kinds as readonly string[]).includes(kind))),
});

/** The histories that failed once, or a share of them: those of the gateway alone where nothing else is asked for. */
const regressionsFor = ({ gateway, turn: { n, of } }: Asked, file: string): Regression[] =>
  readRegressions(file).filter(({ config }, at) => at % of === n - 1 && (!gateway || config.gateway === true));

/** Runs every history that failed once; gives what there is to say of those that fail again. */
async function runRegressions(
  regressions: readonly Regression[],
  { planted, regressions: file }: Asked,
  { run, out, interrupted }: Around,
): Promise<string[]> {
  const backs: string[] = [];
  for (const { config, invariant, found } of regressions) {
    if (interrupted()) break;
    const { violations, config: whole } = await judged(run, configFrom(config), false);
    const [violation] = violations;
    if (!violation) continue;
    const again = violation.invariant === invariant ? 'fails again' : `broke ${invariant} then, and now`;
    const told = `a history kept in ${file} since ${found} ${again}:\n${failure(violation, whole)}${commandOf(whole, planted)}\n\n`;
    backs.push(told);
    out(told);
  }
  if (regressions.length > 0) out(`${regressions.length - backs.length} of ${regressions.length} histories that failed once hold now\n`);
  return backs;
}

/** Prints a failure with what replays it, and keeps it; one of an invariant that has one already in one line. */
function tell({ violation, config, tries, isRepeated }: Failed, { planted, regressions }: Asked, { out, today }: Around): void {
  if (isRepeated) {
    out(`seed ${config.seed} violated ${violation.invariant} too\n`);
    return;
  }
  const isNew = regressions !== undefined && addRegression(regressions, regressionOf(config, violation, today()));
  const size = tries === 0 ? '' : `as small as ${tries} tries made it`;
  const kept = isNew ? `kept in ${regressions}` : '';
  const notes = [size, kept].filter(Boolean).join(', ');
  out(`${failure(violation, config)}${commandOf(config, planted)}\n${notes && `(${notes})\n`}\n`);
}

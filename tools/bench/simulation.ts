import { configOf } from '../../test/simulation/config.ts';
import { Kernel } from '../../test/simulation/kernel.ts';
import { runHistory } from '../../test/simulation/run.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, spread } from './rounds.ts';

/** The histories of a round: the same every time, so that figures of one commit compare with those of another. */
const seeds = Array.from({ length: 10 }, (_, n) => n + 1);
const rounds = 5;
/** The number of things that wait in the heap of a middling history. */
const waiting = 100;
/** The work of a step is a function with all its promises, and every invariant that checks its result. */
const ratioTarget = { atMost: 30 };

/**
 * The cost of some work: steps of a kernel, and seconds of processor time of all threads, so that the collector counts
 * and other programs do not.
 */
type Took = { readonly steps: number; readonly seconds: number };

async function timed(work: () => Promise<number>): Promise<Took> {
  const before = process.cpuUsage();
  const steps = await work();
  const { user, system } = process.cpuUsage(before);
  return { steps, seconds: (user + system) / 1e6 };
}

/**
 * Whole histories, with every invariant checked. Throws when one does not hold: a history that ends early costs
 * nothing.
 */
async function histories(): Promise<number> {
  let steps = 0;
  for (const seed of seeds) {
    const outcome = await runHistory(configOf(seed));
    if (outcome.violations.length > 0)
      throw new Error(`seed ${seed} breaks ${outcome.violations[0]!.invariant}: there is nothing to measure`);
    steps += outcome.steps;
  }
  return steps;
}

/** The bare kernel: as many steps in which nothing happens. */
async function emptySteps(steps: number): Promise<number> {
  const kernel = new Kernel(1);
  const random = kernel.random('bench');
  const again = (): void => void kernel.after(1 + random() * 1000, 'nothing happens', again);
  for (let n = 0; n < waiting; n++) again();
  await kernel.run(Number.MAX_SAFE_INTEGER as typeof kernel.now, () => kernel.steps >= steps);
  return kernel.steps;
}

const perSecond = ({ steps, seconds }: Took): number => steps / seconds;
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

async function measure(): Promise<Figure[]> {
  const simulated: Took[] = [];
  const empty: Took[] = [];
  const first = await timed(histories);
  for (let round = 0; round < rounds; round++) {
    simulated.push(await timed(histories));
    empty.push(await timed(() => emptySteps(first.steps)));
  }
  const rates = simulated.map(perSecond);
  const bare = empty.map(perSecond);
  const ratios = rates.map((rate, n) => bare[n]! / rate);
  const seedRates = simulated.map(({ seconds }) => seeds.length / seconds);
  return [
    { what: 'steps of simulated histories', measured: median(rates), unit: 'steps/s', note: `processor time, ${spread(rates, whole)}` },
    {
      what: 'simulated histories',
      measured: median(seedRates),
      unit: 'seeds/s',
      note: `seeds 1 to ${seeds.length}, ${whole(first.steps / seeds.length)} steps each on the mean; ${spread(seedRates, (rate) => rate.toFixed(2))}`,
    },
    { what: 'peer: the bare kernel, empty steps', measured: median(bare), unit: 'steps/s', note: spread(bare, whole) },
    {
      what: 'a step of a history beside an empty one',
      measured: median(ratios),
      unit: '×',
      target: ratioTarget,
      note: spread(ratios, (ratio) => ratio.toFixed(2)),
    },
  ];
}

await program(measure);

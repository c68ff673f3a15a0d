/** The middle one of some values; the lower of two. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The value below which this share (0 to 1) of the values lies. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil((values.length - 1) * share)]!;

/** From the least to the most, as a note beside a median; `show` prints one value. */
export const spread = (values: readonly number[], show: (value: number) => string): string =>
  `${show(Math.min(...values))} to ${show(Math.max(...values))} in ${values.length} rounds`;

/**
 * Nanoseconds of processor time a call of `work` in each of some rounds: of all threads of this process, so that the
 * collector counts and other programs on the machine do not. The first two rounds, in which the compiler still works,
 * are left out. `work` gets the number of the call; its results are added up so that no compiler can leave it out.
 */
export function nsPerCall(work: (n: number) => number, { calls, rounds }: { calls: number; rounds: number }): number[] {
  const measured: number[] = [];
  for (let round = -2; round < rounds; round++) {
    const before = process.cpuUsage();
    let sum = 0;
    for (let n = 0; n < calls; n++) sum += work(n);
    const { user, system } = process.cpuUsage(before);
    if (Number.isNaN(sum)) throw new Error('the work gave no number');
    if (round >= 0) measured.push(((user + system) * 1000) / calls);
  }
  return measured;
}

/** The word nearest to a misspelt one: at most 2 letters differ, are missing, too many or exchanged. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = 3;
  for (const one of words) {
    if (Math.abs(one.length - word.length) >= least) continue;
    const steps = distance(word, one);
    if (steps < least) [best, least] = [one, steps];
  }
  return best;
}

/** How many letters differ (optimal string alignment). */
function distance(a: string, b: string): number {
  let [before, last, row]: number[][] = [[], [], Array.from({ length: b.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= a.length; i++) {
    [before, last, row] = [last!, row!, [i]];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
  }
  return row![b.length]!;
}

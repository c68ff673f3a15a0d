/**
 * Buckets of an octave: each is as wide as 1/64 of where it begins, so that its middle is never off by more than 1/128
 * of a value.
 */
const perOctave = 64;
/** The first values have a bucket each. */
const exactBits = 6;
/** Values up to 2^28 µs, four and a half minutes, have buckets of their own; a call is given up long before. */
const octavesMax = 28 - exactBits;
const buckets = perOctave * (octavesMax + 1);

/** The bucket of a value in whole µs from 0. */
export function bucketOf(us: number): number {
  if (us < perOctave) return us;
  const octave = Math.floor(Math.log2(us)) - exactBits;
  if (octave >= octavesMax) return buckets - 1;
  return perOctave * (octave + 1) + Math.floor(us / 2 ** octave) - perOctave;
}

/** The middle of a bucket, in µs. */
export function middleOf(bucket: number): number {
  if (bucket < perOctave) return bucket;
  const width = 2 ** (Math.floor(bucket / perOctave) - 1);
  return (perOctave + (bucket % perOctave)) * width + (width - 1) / 2;
}

/**
 * A histogram of durations, in buckets whose width grows with the duration, as HdrHistogram's do: 12 KB however many it
 * counts, and no quantile off by more than 1 %.
 */
export class Histogram {
  readonly #counts = new Float64Array(buckets);
  #count = 0;
  #sum = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  /** The mean in ms, exact; 0 when empty. */
  get meanMs(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  /** The longest, in ms, exact. */
  get maxMs(): number {
    return this.#max;
  }

  /** Adds a duration in ms; one below 0 counts as 0. */
  add(ms: number): void {
    const span = Math.max(0, ms);
    this.#counts[bucketOf(Math.round(span * 1_000))]! += 1;
    this.#count += 1;
    this.#sum += span;
    this.#max = Math.max(this.#max, span);
  }

  /** The shortest duration in ms that this share of all, from 0 to 1, does not exceed; 0 when empty. */
  quantileMs(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.#count));
    if (rank >= this.#count) return this.#max;
    let seen = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      seen += this.#counts[bucket]!;
      if (seen >= rank) return Math.min(this.#max, middleOf(bucket) / 1_000);
    }
    return this.#max;
  }

  /** Forgets everything. */
  clear(): void {
    this.#counts.fill(0);
    this.#count = this.#sum = this.#max = 0;
  }
}

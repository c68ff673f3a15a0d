import { type Bitmap, bitsOfWord, listOf, setBit, wordsIn } from './bitmap.ts';

/**
 * Sets of ordinals, stored one behind the other in words. Each has the smallest of three forms, which follows from its
 * count and the size: `short`, a word an ordinal; `halves`, where ordinals have 16 bits and are grouped by the other
 * bits, so that the groups' ends come first; and `bits`, from a 16th of the size on. As lists of whole words and bits
 * from a 32nd on, the tags of a million client systems would take 1.8 times as much.
 */
export type Postings = {
  readonly size: number;
  readonly counts: Uint32Array;
  /** Where each set begins; one more than there are sets. */
  readonly starts: Uint32Array;
  readonly words: Uint32Array;
};

const bitsShare = 16;
const groupBits = 16;
const lowMask = 0xffff;

type Form = 'short' | 'halves' | 'bits';

const groupsIn = (size: number): number => (size + lowMask) >>> groupBits;

function formOf(count: number, size: number): Form {
  if (count * bitsShare >= size) return count < wordsIn(size) ? 'short' : 'bits';
  return count <= 2 * groupsIn(size) ? 'short' : 'halves';
}

function wordsFor(count: number, size: number): number {
  const form = formOf(count, size);
  return form === 'short' ? count : form === 'bits' ? wordsIn(size) : groupsIn(size) + ((count + 1) >>> 1);
}

/** Room for sets of these counts, which {@link writeSet} fills. */
export function emptyPostings(size: number, counts: Uint32Array): Postings {
  const starts = new Uint32Array(counts.length + 1);
  for (let n = 0; n < counts.length; n++) starts[n + 1] = (starts[n] ?? 0) + wordsFor(counts[n] ?? 0, size);
  return { size, counts, starts, words: new Uint32Array(starts[counts.length] ?? 0) };
}

/** Writes a set, whose ordinals are ascending and as many as its count has it. */
export function writeSet({ size, counts, starts, words }: Postings, set: number, ordinals: Uint32Array): void {
  const [start, count] = [starts[set] ?? 0, counts[set] ?? 0];
  const form = formOf(count, size);
  if (form === 'short') words.set(ordinals, start);
  else if (form === 'bits') {
    const bits = words.subarray(start, start + wordsIn(size));
    for (const ordinal of ordinals) setBit(bits, ordinal);
  } else {
    const first = start + groupsIn(size);
    for (let n = 0; n < count; n++) {
      const ordinal = ordinals[n] ?? 0;
      const at = first + (n >>> 1);
      words[at] = (words[at] ?? 0) | ((ordinal & lowMask) << ((n & 1) << 4));
      words[start + (ordinal >>> groupBits)] = n + 1;
    }
    for (let group = 1; group < groupsIn(size); group++) if (!words[start + group]) words[start + group] = words[start + group - 1] ?? 0;
  }
}

/** The bits of a set that is stored as bits, to be set; undefined for any other. */
export function bitsToFill({ size, counts, starts, words }: Postings, set: number): Uint32Array | undefined {
  const start = starts[set] ?? 0;
  return formOf(counts[set] ?? 0, size) === 'bits' ? words.subarray(start, start + wordsIn(size)) : undefined;
}

/** A set, which shares its words with the postings unless its ordinals are in halves. */
export function readSet(postings: Postings, set: number): Bitmap {
  const { size, counts, starts, words } = postings;
  const [start, count] = [starts[set] ?? 0, counts[set] ?? 0];
  const form = formOf(count, size);
  if (form === 'bits') return { is: 'bits', size, count, words: words.subarray(start, start + wordsIn(size)) };
  if (form === 'short') return { is: 'list', size, count, ordinals: words.subarray(start, start + count) };
  return listOf(size, halves(words, start, groupsIn(size), count));
}

/** Visits the ordinals of a set, ascending, with the number of each. */
export function eachOf(postings: Postings, set: number, visit: (ordinal: number, n: number) => void): void {
  const { size, counts, starts, words } = postings;
  const [start, count] = [starts[set] ?? 0, counts[set] ?? 0];
  const form = formOf(count, size);
  if (form === 'short') for (let n = 0; n < count; n++) visit(words[start + n] ?? 0, n);
  else if (form === 'halves') eachHalf(words, start, groupsIn(size), visit);
  else eachBit(words, start, wordsIn(size), visit);
}

function eachBit(words: Uint32Array, start: number, length: number, visit: (ordinal: number, n: number) => void): void {
  let n = 0;
  for (let at = 0; at < length; at++)
    for (let word = words[start + at] ?? 0; word !== 0; word &= word - 1) visit(at * 32 + 31 - Math.clz32(word & -word), n++);
}

function eachHalf(words: Uint32Array, start: number, groups: number, visit: (ordinal: number, n: number) => void): void {
  const first = start + groups;
  for (let n = 0, group = 0; group < groups; group++)
    for (const end = words[start + group] ?? 0; n < end; n++)
      visit((group << groupBits) | (((words[first + (n >>> 1)] ?? 0) >>> ((n & 1) << 4)) & lowMask), n);
}

/** Copies ordinals that are in halves. It is what most words of a query cost, so it is a loop without a call. */
function halves(words: Uint32Array, start: number, groups: number, count: number): Uint32Array {
  const ordinals = new Uint32Array(count);
  const first = start + groups;
  for (let n = 0, group = 0; group < groups; group++) {
    const end = words[start + group] ?? 0;
    for (; n < end; n++) ordinals[n] = (group << groupBits) | (((words[first + (n >>> 1)] ?? 0) >>> ((n & 1) << 4)) & lowMask);
  }
  return ordinals;
}

/** How many ordinals of a set have their bit in `among`. */
export function countAmong(postings: Postings, set: number, among: Uint32Array): number {
  const { size, counts, starts, words } = postings;
  const [start, total] = [starts[set] ?? 0, counts[set] ?? 0];
  const form = formOf(total, size);
  if (form === 'halves') return halvesAmong(words, start, groupsIn(size), among);
  let count = 0;
  if (form === 'short')
    for (let at = start; at < start + total; at++) count += ((among[(words[at] ?? 0) >>> 5] ?? 0) >>> ((words[at] ?? 0) & 31)) & 1;
  else for (let at = 0; at < wordsIn(size); at++) count += bitsOfWord((words[start + at] ?? 0) & (among[at] ?? 0));
  return count;
}

function halvesAmong(words: Uint32Array, start: number, groups: number, among: Uint32Array): number {
  let count = 0;
  const first = start + groups;
  for (let n = 0, group = 0; group < groups; group++) {
    const [end, from] = [words[start + group] ?? 0, group << (groupBits - 5)];
    for (; n < end; n++) {
      const half = ((words[first + (n >>> 1)] ?? 0) >>> ((n & 1) << 4)) & lowMask;
      count += ((among[from + (half >>> 5)] ?? 0) >>> (half & 31)) & 1;
    }
  }
  return count;
}

/** What one answer may be at most; bytes count as they come out of decompression. */
export type MergeLimits = {
  /** How deep values may lie in each other: a list of structs of lists has 3, and data of formulas had up to 20. */
  readonly depthMax: number;
  /** The longest name of a member. */
  readonly nameBytesMax: number;
  /** The largest element of an array, or value that is no array: it is held until it is complete. */
  readonly elementBytesMax: number;
  /** The largest answer of one node: what passes through is not held, so this is a bound on time rather than memory. */
  readonly answerBytesMax: number;
  /**
   * How far all nodes together are read ahead of what the client has taken: each has an equal share, of at least one
   * part, and waits beyond it.
   */
  readonly aheadBytesMax: number;
  /** The largest answer that is read into a tree, which takes about 20 times as much memory. */
  readonly treeBytesMax: number;
};

/** The limits where none are given. */
export const defaultLimits: MergeLimits = {
  depthMax: 64,
  nameBytesMax: 1024,
  elementBytesMax: 16 * 1024 * 1024,
  answerBytesMax: 1024 * 1024 * 1024,
  aheadBytesMax: 8 * 1024 * 1024,
  treeBytesMax: 8 * 1024 * 1024,
};

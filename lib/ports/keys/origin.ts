/** Distinguishes calls through the edge from calls that bypass it. */
export type Origin = {
  /** Whether this is a secret of the edge. Throws Later for a transient failure before the first was read. */
  readonly isFromEdge: (secret: string | undefined) => Promise<boolean>;
};

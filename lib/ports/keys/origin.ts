/** Tells calls that came through the edge from those that went around it. */
export type Origin = {
  /** Whether this is a secret of the edge. Throws Later for a transient failure before the first was read. */
  readonly isShown: (secret: string | undefined) => Promise<boolean>;
};

/** How many wait; `isMore`: so many that it takes more than one page to count them. */
export type WaitingCount = { readonly n: number; readonly isMore: boolean };

/** A count as a badge: nothing where none waits, `200+` where more wait than were counted. */
export const badgeOf = (counts: readonly (WaitingCount | undefined)[]): string | undefined => {
  const n = counts.reduce((sum, count) => sum + (count?.n ?? 0), 0);
  if (n === 0) return undefined;
  return counts.some((count) => count?.isMore) ? `${n}+` : String(n);
};

/**
 * The standing of a node in its zone, from which readers of the zone head decide. The numbers are stored, so they never
 * change.
 */
export const standings = { none: 0, joining: 1, up: 2, suspect: 3, draining: 4, held: 5, down: 6, dropped: 7, quarantined: 8 } as const;
export type Standing = keyof typeof standings;

const names = Object.fromEntries(Object.entries(standings).map(([name, code]) => [code, name])) as Record<number, Standing>;
/** The standing a stored number means. */
export const standingOf = (code: number): Standing => names[code] ?? 'none';

/** Its present client systems stay Onboarded: it serves, also while it leaves, is held, or is quarantined. */
export const serves = (code: number): boolean =>
  code === standings.up ||
  code === standings.suspect ||
  code === standings.draining ||
  code === standings.held ||
  code === standings.quarantined;

/** New client systems may be sent there. */
export const admits = (code: number): boolean => code === standings.up;

/** Its slots need another owner. */
export const gone = (code: number): boolean => code === standings.none || code === standings.down || code === standings.dropped;

/** It has joined and was not given up, also while it is down: the deployment expects to hear from it. */
export const admitted = (code: number): boolean => code !== standings.none && code !== standings.dropped;

/** How a node with this standing leaves, if it does. */
export const leaveModeOf = (standing: Standing): 'drain' | 'hold' | undefined =>
  standing === 'draining' ? 'drain' : standing === 'held' ? 'hold' : undefined;

/** A standing in the words of a node's status, as every view shows it: a node that drains or is held is leaving. */
export const viewedStanding = (standing: Standing): Exclude<Standing, 'draining' | 'held'> | 'leaving' =>
  standing === 'draining' || standing === 'held' ? 'leaving' : standing;

/** A standing in those words, and how the node leaves: `leaving (drain)`. */
export function standingText(standing: Standing): string {
  const mode = leaveModeOf(standing);
  return mode ? `${viewedStanding(standing)} (${mode})` : standing;
}

import { plusMs } from '../../core/time.ts';
import { heldForMs } from './judge.ts';
import type { SilenceRow } from './silence.ts';

/**
 * The client systems of a node that vanished at once, so many that Muster does not call them silent yet: since when,
 * how many, and until when it waits. Undefined while there are none.
 */
export const heldView = ({ held }: SilenceRow): { since: string; vanished: number; until: string } | undefined =>
  held && {
    since: new Date(held.since).toISOString(),
    vanished: held.vanished,
    until: new Date(plusMs(held.since, heldForMs)).toISOString(),
  };

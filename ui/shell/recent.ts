import type { Place } from '../router.tsx';
import { placesIn, visited } from './places.ts';

const key = 'muster-recent';

/** Remembers, in this browser, that a person was at a place. A secret is never part of one: those stand behind a #. */
export const remember = (place: Place): void =>
  localStorage.setItem(key, JSON.stringify(visited(placesIn(localStorage.getItem(key)), place)));

/** The places where this person was, the newest first, without the one that is open now. */
export const recentPlaces = (): readonly Place[] => placesIn(localStorage.getItem(key)).slice(1);

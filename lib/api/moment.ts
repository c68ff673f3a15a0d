import * as z from 'zod';

/** A moment as people and other programs read it: ISO 8601 in UTC. */
export const Moment = z.iso.datetime();

import { type PlannedChange, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { type PinChange, type Pins, type PinZone, pinsChanged, pinsRef } from '../zones/pins/pins.ts';
import type { Client } from './client.ts';

/** A row with the revision it was read at; 0 when it does not exist. */
export type Read<T> = { readonly body: T; readonly rev: number };

/** No client system goes to a node, or leaves one for another. */
export const noMoves: PinZone = {
  hostOf: (index) => ({ index, awayAt: undefined, everyMs: 0 }),
  elsewhere: { everyMs: 0, busyUntil: 0 as EpochMs },
};

/**
 * The pin changes of each node that a client system was or is pinned to. A client system that is not on its pinned node
 * yet must be admitted there. One that is unpinned must be admitted by the owner of its slot, `ownerOf` by index, if
 * that is not the node it is assigned to.
 */
export function pinChangesOf(before: Client, after: Client, ownerOf: (fp: string) => number | undefined = () => undefined): PinChange[] {
  const [was, is] = [before, after].map((client) => (client.standing === 'accepted' ? client.pin : undefined));
  if (was?.index === is?.index && was?.hard === is?.hard) return [];
  const isThere = is && before.standing === 'accepted' && (before.told?.index === is.index || was?.index === is.index);
  const told = was && !is && after.standing === 'accepted' ? after.told : undefined;
  const left = told && told.index !== ownerOf(after.fp) ? told : undefined;
  const none = { hard: 0, soft: 0, coming: 0, leaving: 0 };
  return [
    ...(was ? [{ ...none, index: was.index, [was.hard ? 'hard' : 'soft']: -1 }] : []),
    ...(is ? [{ ...none, index: is.index, [is.hard ? 'hard' : 'soft']: 1, coming: isThere ? 0 : 1 }] : []),
    ...(left ? [{ ...none, index: left.index, leaving: 1 }] : []),
  ];
}

type Changing = { readonly changes: readonly PinChange[]; readonly pinZone: PinZone; readonly because: string };

/** The row of a zone's pins after these changes. */
export const pinsChange = (
  zone: string,
  pins: Read<Pins> | undefined,
  { changes, pinZone, because }: Changing,
  now: EpochMs,
): PlannedChange => ({
  ref: pinsRef(zone),
  readRev: pins?.rev ?? 0,
  decision: write<Pins, never>(pinsChanged(pins?.body, summed(changes), pinZone, now), because),
});

/** Sums the changes to one per node. */
function summed(changes: readonly PinChange[]): PinChange[] {
  const byIndex = Map.groupBy(changes, ({ index }) => index);
  const sum = (some: readonly PinChange[], of: Exclude<keyof PinChange, 'index'>) => some.reduce((all, one) => all + one[of], 0);
  return [...byIndex].map(([index, some]) => ({
    index,
    hard: sum(some, 'hard'),
    soft: sum(some, 'soft'),
    coming: sum(some, 'coming'),
    leaving: sum(some, 'leaving'),
  }));
}

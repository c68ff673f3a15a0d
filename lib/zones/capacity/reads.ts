import type { EpochMs } from '../../core/time.ts';
import { readRow } from '../../runtime/read.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { zoneOf } from '../reads/zones.ts';
import type { LoadedZone } from '../rows/loaded.ts';
import { clientsCounted } from '../view/zone.ts';
import { countsRef } from '../zone.ts';
import { describeFull, zoneCapacity } from './crowding.ts';

/** How many client systems a zone had when they were last counted, and how many this environment has accepted since. */
type Filled = { countedAt: EpochMs; clients: number; accepted: number; readAt: EpochMs };

/** The remaining capacity of a zone. */
export type Room = {
  /** Takes a place, if one is left. */
  readonly take: () => boolean;
  /** Returns a place that was taken and is not needed. */
  readonly giveBack: () => void;
  /** Why none is left, in words. */
  readonly because: () => string;
};

const anyNumber: Room = { take: () => true, giveBack: () => undefined, because: () => '' };

/**
 * The room of a zone, by its last count and the client systems that this environment has accepted since. It costs one
 * row, read as seldom as the zone itself, and none for a zone that takes any number. The count is up to ten minutes
 * old, twenty in a zone of a million, older in a zone that rested among more than 200 zones. Environments do not know
 * of each other's acceptances. So a zone may accept more than its capacity by the number that comes meanwhile, but no
 * node is given more than it declares.
 */
export async function roomOf(shell: Shell, name: string): Promise<Room> {
  const zone = await zoneOf(shell, name);
  const capacity = zone && zoneCapacity(zone, shell.now());
  if (!capacity) return anyNumber;
  const filled = await filledOf(shell, zone);
  const clients = (): number => filled.clients + filled.accepted;
  return {
    take: () => {
      if (clients() >= capacity.clientsMax) return false;
      filled.accepted++;
      return true;
    },
    giveBack: () => {
      filled.accepted--;
    },
    because: () => describeFull(name, capacity, clients()),
  };
}

async function filledOf(shell: Shell, zone: LoadedZone): Promise<Filled> {
  const { name } = zone.head;
  const all = cached(shell, 'filled', () => new Map<string, Filled>());
  const known = all.get(name);
  const now = shell.now();
  if (known && now - known.readAt <= shell.settings.zoneMaxAgeMs) return known;
  const counts = (await readRow(shell, countsRef(name)))?.body;
  const [countedAt, before] = [counts?.at ?? (0 as EpochMs), all.get(name)];
  const isSame = before?.countedAt === countedAt;
  const filled = isSame ? before : { countedAt, clients: clientsCounted(counts, zone, now), accepted: 0, readAt: now };
  filled.readAt = now;
  all.set(name, filled);
  return filled;
}

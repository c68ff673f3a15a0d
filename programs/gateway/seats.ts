import { adminRoutes } from '../../lib/admin-contract.ts';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import { Fqdn, type ZoneName } from '../../lib/core/ids.ts';
import { type EpochMs, plusMs, secondMs } from '../../lib/core/time.ts';
import type { Directory } from '../../lib/uyuni/gateway/directory.ts';
import type { SeatFound } from '../../lib/uyuni/gateway/plan.ts';
import { refusals } from '../../lib/uyuni/gateway/route.ts';
import type { Clock } from './deadline.ts';

/**
 * Somebody whose call changes common content. `named`: the server that the caller has named, if any, which becomes the
 * seat if no other is.
 */
export type Editing = { readonly login: string; readonly named?: string };

/** Which server common content is edited on. `isElected`: it is asked for also where there is only one server. */
export type Seats = {
  readonly isElected: boolean;
  seatFor(editing: Editing): Promise<SeatFound>;
  /** A person has signed out. */
  finished(login: string): void;
};

/** The seat that an operator has named, or none. */
export const seatNamed = (node: string | undefined): Seats => ({
  isElected: false,
  seatFor: async () => (node === undefined ? { why: refusals.noSeat } : { node }),
  finished: () => undefined,
});

/** A grant is not relied on for so long before its end, in ms: servers take their time to carry out a call. */
const spareMs = 10 * secondMs;
/** Grants that are remembered: one of each person and zone. */
const grantsMax = 10_000;

type Grant = { readonly node: string; readonly until: EpochMs };

/**
 * The seat as Muster elects it, in the zone of the servers. A grant is relied on until shortly before it ends; `say`
 * takes why somebody could not be signed out there.
 */
export function seatsOfMuster(
  muster: ApiClient,
  { directory, clock, say }: { readonly directory: () => Directory; readonly clock: Pick<Clock, 'now'>; say(line: string): void },
): Seats {
  const grants = new Map<string, Grant>();
  /** Calls of one person that come together ask once. */
  const asking = new Map<string, Promise<SeatFound>>();
  const keyOf = (zone: ZoneName, login: string): string => `${zone} ${login}`;
  const ask = async (zone: ZoneName, editing: Editing): Promise<SeatFound> => {
    // Muster counts from a moment after this one.
    const askedAt = clock.now();
    const asked = await granted(muster, zone, editing);
    if ('why' in asked) return asked;
    if (grants.size >= grantsMax) grants.clear();
    grants.set(keyOf(zone, editing.login), { node: asked.node, until: plusMs(askedAt, asked.forMs - spareMs) });
    return { node: asked.node };
  };
  return {
    isElected: true,
    seatFor: async (editing) => {
      const { zone, why } = zoneIn(directory());
      if (zone === undefined) return { why };
      const key = keyOf(zone, editing.login);
      const known = grants.get(key);
      if (known && known.until > clock.now()) return { node: known.node };
      grants.delete(key);
      const before = asking.get(key);
      if (before) return before;
      const asked = ask(zone, editing).finally(() => asking.delete(key));
      asking.set(key, asked);
      return asked;
    },
    finished: (login) => {
      const { zone } = zoneIn(directory());
      if (zone === undefined || !grants.delete(keyOf(zone, login))) return;
      muster(adminRoutes.finishEditing, { params: { zone }, body: { login } }).then(
        (got) => got.ok || say(`${login} counts as an editor for a while: ${got.problem.detail ?? got.problem.title}`),
        (error: unknown) => say(`${login} counts as an editor for a while: ${error instanceof Error ? error.message : String(error)}`),
      );
    },
  };
}

type ZoneIn = { readonly zone: ZoneName; readonly why?: never } | { readonly zone?: never; readonly why: string };

/** The one zone that all servers are in; or why there is none. */
function zoneIn(directory: Directory): ZoneIn {
  const zones = [...new Set(directory.nodes().flatMap(({ zone }) => zone ?? []))].sort();
  const [zone] = zones;
  if (zone === undefined) return { why: refusals.noSeat };
  return zones.length === 1 ? { zone } : { why: `${refusals.severalZones}: ${zones.join(', ')}` };
}

/** What Muster says: the server, and how long that may be relied on; or why nowhere. */
async function granted(
  muster: ApiClient,
  zone: ZoneName,
  { login, named }: Editing,
): Promise<{ readonly node: string; readonly forMs: number } | { readonly why: string }> {
  try {
    const prefers = Fqdn.safeParse(named).data;
    const body = { login, changes: true, ...(prefers !== undefined && { prefers }) };
    const got = await muster(adminRoutes.editContent, { params: { zone }, body });
    if (got.ok) return { node: got.body.fqdn, forMs: got.body.forMs };
    if (got.status === 403 || got.status === 404) return { why: `${refusals.noSeat} (${got.problem.detail ?? got.problem.title})` };
    return { why: `it changes common content: ${got.problem.detail ?? got.problem.title}` };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { why: `it changes common content, and Muster does not say where that is edited: ${error.message}` };
  }
}

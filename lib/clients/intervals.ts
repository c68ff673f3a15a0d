import { clamp, type EpochMs } from '../core/time.ts';
import type { LoadedZone } from '../zones/rows/loaded.ts';
import type { Client } from './client.ts';
import type { Status } from './rows/status.ts';

/**
 * Seconds between two calls of a client system that is on its node. Calls are rare while the digests of the node show
 * it; otherwise the calls themselves show it.
 */
const coveredS = 6 * 3600;
const uncoveredS = 15 * 60;
/**
 * Seconds between two calls of a client that waits, or has lost its node: a tenth of how long that has lasted, between
 * 5 and 60.
 */
const waitingMinS = 5;
const waitingMaxS = 60;
/** A banned client stops calling; one that does not must wait a day between calls. */
const deletedS = 86_400;
/**
 * A covered client's token is renewed half-way through its life of 7 days; an uncovered one hourly, with its sign of
 * life.
 */
const renewCoveredS = 3.5 * 86_400;
const renewUncoveredS = 3_600;

/** How old a token may grow before it is exchanged for a new one, in seconds. */
export const renewAfterS = (covered: boolean): number => (covered ? renewCoveredS : renewUncoveredS);

type Moment = {
  readonly now: EpochMs;
  readonly random: number;
  readonly covered: boolean;
  /** Seconds since the client lost its node, as it reports; undefined when it hears it. */
  readonly lostS?: number | undefined;
  readonly client?: Client | undefined;
  /** When its turn comes; undefined when it waits for none. `soonestAt`: when it may come if its node speeds up. */
  readonly turnAt?: EpochMs | undefined;
  readonly soonestAt?: EpochMs | undefined;
  /** Its node is down, and it is held for that node. */
  readonly held?: boolean | undefined;
};

/**
 * In how many seconds the client should call next, ± 10 %. A client that waits for its turn calls at its turn at the
 * latest. Until then an orphan calls every 15 min, because a turn that is hours away changes when a node comes back or
 * admits faster. A client that is on a node calls as often as without a turn. Where the rate of a node rises by itself,
 * clients call as soon as their turn may come by that, though not more than once a minute.
 */
export function nextSeconds(status: Status, { now, random, covered, lostS, client, turnAt, soonestAt, held }: Moment): number {
  if (held) return jittered(waitingMaxS, random);
  const waits = turnAt !== undefined && turnAt > now && (status === 'orphan' || status === 'onboarded');
  const base = waits && status === 'orphan' ? uncoveredS : baseSeconds(status, lostS, covered, (now - sinceOf(client, now)) / 1000);
  if (!waits) return jittered(base, random);
  const soonS = soonestAt === undefined ? base : Math.max(waitingMaxS, (soonestAt - now) / 1000);
  return Math.min(jittered(Math.min(base, soonS), random), Math.ceil((turnAt - now) / 1000));
}

/** In how many seconds a client whose token is no longer valid should knock for another, ± 10 %. */
export const knockSeconds = (random: number): number => jittered(waitingMinS, random);

const jittered = (seconds: number, random: number): number => Math.max(1, Math.round(seconds * (0.9 + 0.2 * random)));

function baseSeconds(status: Status, lostS: number | undefined, covered: boolean, waitedS: number): number {
  if (status === 'deleted') return deletedS;
  if (status !== 'onboarded') return rising(waitedS);
  if (lostS !== undefined) return rising(lostS);
  return covered ? coveredS : uncoveredS;
}

const rising = (sinceS: number): number => clamp(sinceS / 10, waitingMinS, waitingMaxS);

/**
 * The seconds since a client lost its node, as its header reports; undefined when it hears the node, or the text is no
 * such number.
 */
export const lostSecondsOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;

/**
 * Since when it waits: for an administrator since it was first seen, for a node since it was accepted or last assigned
 * one.
 */
function sinceOf(client: Client | undefined, now: EpochMs): number {
  if (client?.standing === 'pooled') return client.firstSeenAt;
  if (client?.standing === 'accepted') return client.told?.at ?? client.acceptedAt;
  return now;
}

/**
 * The address that a client should watch, and how often: every three of the fastest heartbeats, so that it notices a
 * loss about when Muster does.
 */
export const watchOf = (zone: LoadedZone, index: number, heartbeatMinMs: number): string =>
  `${zone.members[index]!.watch};every=${Math.max(1, Math.round((3 * heartbeatMinMs) / 1000))}`;

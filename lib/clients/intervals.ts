import { clamp, type EpochMs } from '../core/time.ts';
import type { LoadedZone } from '../zones/rows/loaded.ts';
import type { Client } from './client.ts';
import type { Status } from './rows/status.ts';

/**
 * Seconds between two calls of a client system that is where it belongs: rarely when its node sees it, for us to see it
 * otherwise.
 */
const coveredS = 6 * 3600;
const uncoveredS = 15 * 60;
/**
 * Seconds between two calls of one that waits, or has lost its node: 5 at first, rising to 60 with a tenth of how long
 * that has been.
 */
const waitingMinS = 5;
const waitingMaxS = 60;
/** A banned client ends its pulse; one that does not is told to come back once a day. */
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
  /** Seconds since the client lost its node, as it says; undefined when it hears it. */
  readonly lostS?: number | undefined;
  readonly client?: Client | undefined;
  /** When its turn of admission comes; undefined when it waits for none. */
  readonly turnAt?: EpochMs | undefined;
  /** Its node is down, and it is kept for it. */
  readonly held?: boolean | undefined;
};

/**
 * In how many seconds the client should call next, ± 10 %: at its turn, if it waits for one; until then an orphan every
 * 15 min, because a node that comes back or admits faster changes turns that are hours away, and who is on a node
 * meanwhile as ever.
 */
export function nextSeconds(status: Status, { now, random, covered, lostS, client, turnAt, held }: Moment): number {
  if (held) return jittered(waitingMaxS, random);
  const waits = turnAt !== undefined && turnAt > now && (status === 'orphan' || status === 'onboarded');
  const base = waits && status === 'orphan' ? uncoveredS : baseSeconds(status, lostS, covered, (now - sinceOf(client, now)) / 1000);
  return waits ? Math.min(jittered(base, random), Math.ceil((turnAt - now) / 1000)) : jittered(base, random);
}

/** In how many seconds a client whose token does not hold any more should knock for another, ± 10 %. */
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
 * What a client's header says of its node: for how many seconds it has been lost; undefined when it is heard, or the
 * text is no such number.
 */
export const lostSecondsOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;

/**
 * Since when it waits: for an administrator since it was first seen, for a node since it was accepted or last told one.
 */
function sinceOf(client: Client | undefined, now: EpochMs): number {
  if (client?.standing === 'pooled') return client.firstSeenAt;
  if (client?.standing === 'accepted') return client.told?.at ?? client.acceptedAt;
  return now;
}

/** What a client should watch, and how often: three of the fastest heartbeats, so that it notices about when we do. */
export const watchOf = (zone: LoadedZone, index: number, beatMinMs: number): string =>
  `${zone.members[index]!.watch};every=${Math.max(1, Math.round((3 * beatMinMs) / 1000))}`;

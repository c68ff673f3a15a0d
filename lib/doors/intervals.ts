import type { Client } from '../clients/client.ts';
import type { Status } from '../clients/status.ts';
import { clamp, type EpochMs } from '../units.ts';
import type { LoadedZone } from '../zones/loaded.ts';

/** Seconds between two calls of a client system that is where it belongs: rarely when its node sees it, for us to see it otherwise. */
const coveredS = 6 * 3600;
const uncoveredS = 15 * 60;
/** Seconds between two calls of one that waits: 5 at first, rising to 60 with how long it has waited. */
const waitingMinS = 5;
const waitingMaxS = 60;
/** A banned client ends its pulse; one that does not is told to come back once a day. */
const deletedS = 86_400;
/** A covered client's token is renewed half-way through its life of 7 days; an uncovered one hourly, with its sign of life. */
const renewCoveredS = 3.5 * 86_400;
const renewUncoveredS = 3_600;

/** How old a token may grow before it is exchanged for a new one, in seconds. */
export const renewAfterS = (covered: boolean): number => (covered ? renewCoveredS : renewUncoveredS);

type Moment = {
  readonly now: EpochMs;
  readonly random: number;
  readonly covered: boolean;
  readonly lost: boolean;
  readonly client?: Client | undefined;
};

/** In how many seconds the client should call next, ± 10 %. */
export function nextSeconds(status: Status, { now, random, covered, lost, client }: Moment): number {
  const base = baseSeconds(status, lost, covered, now - sinceOf(client, now));
  return jittered(base, random);
}

/** In how many seconds a client whose token does not hold any more should knock for another, ± 10 %. */
export const knockSeconds = (random: number): number => jittered(waitingMinS, random);

const jittered = (seconds: number, random: number): number => Math.max(1, Math.round(seconds * (0.9 + 0.2 * random)));

function baseSeconds(status: Status, lost: boolean, covered: boolean, waitedMs: number): number {
  if (status === 'deleted') return deletedS;
  if (status === 'onboarded' && !lost) return covered ? coveredS : uncoveredS;
  return clamp(waitedMs / 10_000, waitingMinS, waitingMaxS);
}

/** Since when it waits: for an administrator since it was first seen, for a node since it was accepted or last told one. */
function sinceOf(client: Client | undefined, now: EpochMs): number {
  if (client?.standing === 'pooled') return client.firstSeenAt;
  if (client?.standing === 'accepted') return client.told?.at ?? client.acceptedAt;
  return now;
}

/** What a client should watch, and how often: three of the fastest heartbeats, so that it notices about when we do. */
export const watchOf = (zone: LoadedZone, index: number, beatMinMs: number): string =>
  `${zone.members[index]!.watch};every=${Math.max(1, Math.round((3 * beatMinMs) / 1000))}`;

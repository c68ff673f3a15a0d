import type { EpochMs } from '../../../lib/core/time.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import type { Stations } from '../../../lib/stations/stations.ts';
import type { Committed } from '../watching.ts';
import { onceEach } from './once.ts';

/**
 * How long a word of a station counts for whoever decides by it, in ms: a lease of 30 s, and a tenth more for clocks
 * that drift apart.
 */
export const countsMs = 33_000;
/** Whoever stands still between reading the stations and deciding by them goes by what they were, in ms. */
const staleMs = 30_000;

/** The row of a zone's stations in a commit, as it was and is; `at` is when that was decided. */
export type StationStep = {
  readonly zone: string;
  readonly at: EpochMs;
  readonly before: Stations | undefined;
  readonly after: Stations;
  readonly row: Row;
};

const stationsIn = (row: Row | undefined): Stations | undefined => (row === undefined || row.gone ? undefined : (row.body as Stations));

/** The stations of a commit. */
export const stationSteps = onceEach((changes: readonly Committed[]): readonly StationStep[] =>
  changes.flatMap(({ before, after }): StationStep[] => {
    const now = after.key.sk === 'stations' ? stationsIn(after) : undefined;
    return now ? [{ zone: now.zone, at: after.at, before: stationsIn(before), after: now, row: after }] : [];
  }),
);

/** Which of a set are heard at a moment, by what was last heard of each. */
export const heardAt = ({ hosts, leases }: Stations, at: EpochMs): string[] =>
  hosts.filter((host) => leases[host] !== undefined && leases[host].renewedAt + countsMs > at);

/** More than half of all that are named. */
export const isMajority = (some: number, { hosts }: Pick<Stations, 'hosts'>): boolean => 2 * some > hosts.length;

/** The stations of all zones as commits make them, with what they were a moment ago. */
export class StationSets {
  readonly #versions = new Map<string, { readonly until: EpochMs; readonly is: Stations }[]>();

  /** Takes a commit in, made at a moment. */
  take(changes: readonly Committed[], now: EpochMs): readonly StationStep[] {
    const steps = stationSteps(changes);
    for (const { zone, before, after } of steps) {
      const known = (this.#versions.get(zone) ?? []).filter(({ until }) => until > now - staleMs);
      this.#versions.set(zone, [...(before ? [...known.slice(0, -1), { until: now, is: before }] : []), { until: forEver, is: after }]);
    }
    return steps;
  }

  /** What the stations of a zone may have been for whoever decided at a moment; undefined where none were named. */
  known(zone: string, at: EpochMs): readonly Stations[] | undefined {
    const all = (this.#versions.get(zone) ?? []).filter(({ until }) => until > at - staleMs).map(({ is }) => is);
    return all.length === 0 || all.some(({ hosts }) => hosts.length === 0) ? undefined : all;
  }

  /** The stations of a zone as they are; undefined where none are named. */
  of(zone: string): Stations | undefined {
    const is = this.#versions.get(zone)?.at(-1)?.is;
    return is && is.hosts.length > 0 ? is : undefined;
  }

  /**
   * Whether somebody who decided at a moment may have heard a majority of a zone's stations, of which this holds; so
   * too where none are named.
   */
  mayAgree(zone: string, at: EpochMs, holds: (stations: Stations, host: string) => boolean = () => true): boolean {
    const all = this.known(zone, at);
    if (!all) return true;
    return all.some((stations) =>
      isMajority(heardAt(stations, (at - staleMs) as EpochMs).filter((host) => holds(stations, host)).length, stations),
    );
  }
}

const forEver = Number.POSITIVE_INFINITY as EpochMs;

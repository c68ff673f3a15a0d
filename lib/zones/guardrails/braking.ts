import { type Concluded, type Grace, isSame } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { disruptionAfter } from './disruption.ts';
import { type Brakes, limits } from './guardrails.ts';
import { holdsOf } from './holds.ts';
import { isSilent, type Look, type Scene, silentFor } from './silence.ts';

/**
 * The result of the guard-rails for one reading of the zone: their new state, and which nodes are held, with the
 * reason.
 */
export type Braking = {
  readonly brakes: Brakes;
  /** Why each candidate that is not given up is held, by node. */
  readonly holds: ReadonlyMap<string, string>;
  readonly events: readonly Concluded[];
  readonly because: readonly string[];
};

/**
 * Guard-rails 4 to 8 and 16: whether a silence is a node's own, or lies between the zone and Muster. Pure; the plan
 * applies the result.
 */
export function brake(zone: { readonly name: string; readonly brakes: Brakes }, look: Look, now: EpochMs, grace: Grace): Braking {
  // After a pause of Muster every node looks silent, so nothing is concluded from that.
  if (grace.graceUntil !== undefined && grace.graceUntil > now) {
    const why = `held suspect by rule 5: Muster may have been paused; no node is given up before ${iso(grace.graceUntil)}`;
    return { brakes: zone.brakes, holds: holdAll(look, why), events: [], because: [] };
  }
  const scene = sceneOf(zone, look, now);
  const { disrupted, events, because, ended } = disruptionAfter(zone.brakes.disrupted, scene);
  const { disrupted: _was, racks: _before, ...rest } = zone.brakes;
  const racks = racksAfter(zone.brakes.racks ?? [], scene);
  const brakes: Brakes = {
    ...rest,
    ...(disrupted && { disrupted }),
    ...(racks.length > 0 && { racks }),
    ...(ended && { endedAt: now }),
  };
  return { brakes: isSame(brakes, zone.brakes) ? zone.brakes : brakes, holds: holdsOf(brakes, scene, look), events, because };
}

/** Whether the guard-rails must read the zone again soon, although no further node falls silent. */
export const mustLookAgain = ({ brakes, holds }: Pick<Braking, 'brakes' | 'holds'>): boolean =>
  brakes.disrupted !== undefined || (brakes.racks ?? []).length > 0 || holds.size > 0;

/**
 * How long the guard-rails rest between two readings, in ms: a quarter of a lease, so that an end is seen well within
 * the two leases that it takes.
 */
export const lookEveryMs = (leaseMs: number): number => Math.round(leaseMs / 4);

const holdAll = ({ seen }: Look, why: string): Map<string, string> =>
  new Map(seen.flatMap(({ id, isCandidate }) => (isCandidate ? [[id, why]] : [])));

/** The scene of a reading. Nodes that were silent when an operator calmed the zone do not count. */
function sceneOf({ name, brakes }: { readonly name: string; readonly brakes: Brakes }, { seen, leaseMs }: Look, now: EpochMs): Scene {
  const nodes = seen.filter((one) => !isSilent(one, now) || silentFor(one) > (brakes.calmedAt ?? -1));
  const silent = nodes.filter((one) => isSilent(one, now));
  return { zone: name, now, leaseMs, nodes, silent, fresh: silent.filter((one) => silentFor(one) > (brakes.endedAt ?? -1)) };
}

/** The most dark racks that are stored. More than that means that the label is no rack. */
const racksMax = 100;

/**
 * Rule 8: a rack of at least two nodes, and not the whole zone, whose nodes all fell silent in one window. It stays
 * known until none of them is silent.
 */
function racksAfter(known: NonNullable<Brakes['racks']>, { nodes, silent, leaseMs, now }: Scene): NonNullable<Brakes['racks']> {
  const isQuiet = new Set(silent);
  const byRack = Map.groupBy(
    nodes.filter(({ rack }) => rack !== undefined),
    ({ rack }) => rack!,
  );
  const kept = known.filter(({ rack }) => byRack.get(rack)?.some((one) => isQuiet.has(one)));
  const dark = [...byRack].filter(([rack, members]) => {
    if (members.length < 2 || members.length === nodes.length || kept.some((one) => one.rack === rack)) return false;
    const heard = members.map(({ heardAt }) => heardAt);
    return members.every((one) => isQuiet.has(one)) && Math.max(...heard) - Math.min(...heard) <= leaseMs;
  });
  return [...kept, ...dark.map(([rack]) => ({ rack, until: plusMs(now, limits.heldMaxMs) }))].slice(0, racksMax);
}

const iso = (at: EpochMs): string => new Date(at).toISOString();

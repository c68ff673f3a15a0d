import { type Concluded, type Grace, isSame } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { disruptionAfter } from './disruption.ts';
import { type Guardrails, limits } from './guardrails.ts';
import { holdsOf } from './holds.ts';
import { isSilent, type Observation, type Scene, silentFor } from './silence.ts';

/**
 * The result of the guard-rails for one reading of the zone: their new state, and which nodes are held, with the
 * reason.
 */
export type GuardrailVerdict = {
  readonly brakes: Guardrails;
  /** Why each candidate that is not given up is held, by node. */
  readonly holds: ReadonlyMap<string, string>;
  readonly events: readonly Concluded[];
  readonly because: readonly string[];
};

/**
 * Guard-rails 4 to 8 and 16: whether a silence is a node's own, or lies between the zone and Muster. Pure; the plan
 * applies the result.
 */
export function applyGuardrails(
  zone: { readonly name: string; readonly brakes: Guardrails },
  observation: Observation,
  now: EpochMs,
  grace: Grace,
): GuardrailVerdict {
  // After a pause of Muster every node looks silent, so nothing is concluded from that.
  if (grace.graceUntil !== undefined && grace.graceUntil > now) {
    const why = `held suspect by rule 5: Muster may have been paused; no node is given up before ${iso(grace.graceUntil)}`;
    return { brakes: zone.brakes, holds: holdAll(observation, why), events: [], because: [] };
  }
  const scene = sceneOf(zone, observation, now);
  const { disrupted, events, because, ended } = disruptionAfter(zone.brakes.disrupted, scene);
  const { disrupted: _was, racks: _before, ...rest } = zone.brakes;
  const racks = racksAfter(zone.brakes.racks ?? [], scene);
  const brakes: Guardrails = {
    ...rest,
    ...(disrupted && { disrupted }),
    ...(racks.length > 0 && { racks }),
    ...(ended && { endedAt: now }),
  };
  return { brakes: isSame(brakes, zone.brakes) ? zone.brakes : brakes, holds: holdsOf(brakes, scene, observation), events, because };
}

/** Whether the guard-rails must read the zone again soon, although no further node falls silent. */
export const mustCheckAgain = ({ brakes, holds }: Pick<GuardrailVerdict, 'brakes' | 'holds'>): boolean =>
  brakes.disrupted !== undefined || (brakes.racks ?? []).length > 0 || holds.size > 0;

/**
 * How long the guard-rails rest between two readings, in ms: a quarter of a lease, so that an end is seen well within
 * the two leases that it takes.
 */
export const checkEveryMs = (leaseMs: number): number => Math.round(leaseMs / 4);

const holdAll = ({ seen }: Observation, why: string): Map<string, string> =>
  new Map(seen.flatMap(({ id, isCandidate }) => (isCandidate ? [[id, why]] : [])));

/** The scene of a reading. Nodes that were silent when an operator calmed the zone do not count. */
function sceneOf(
  { name, brakes }: { readonly name: string; readonly brakes: Guardrails },
  { seen, leaseMs }: Observation,
  now: EpochMs,
): Scene {
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
function racksAfter(known: NonNullable<Guardrails['racks']>, { nodes, silent, leaseMs, now }: Scene): NonNullable<Guardrails['racks']> {
  const isQuiet = new Set(silent);
  const byRack = Map.groupBy(
    nodes.filter(({ rack }) => rack !== undefined),
    ({ rack }) => rack!,
  );
  const stillDark = known.filter(({ rack }) => byRack.get(rack)?.some((one) => isQuiet.has(one)));
  const dark = [...byRack].filter(([rack, members]) => {
    if (members.length < 2 || members.length === nodes.length || stillDark.some((one) => one.rack === rack)) return false;
    const heard = members.map(({ heardAt }) => heardAt);
    return members.every((one) => isQuiet.has(one)) && Math.max(...heard) - Math.min(...heard) <= leaseMs;
  });
  return [...stillDark, ...dark.map(([rack]) => ({ rack, until: plusMs(now, limits.heldMaxMs) }))].slice(0, racksMax);
}

const iso = (at: EpochMs): string => new Date(at).toISOString();

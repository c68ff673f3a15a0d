import type { EpochMs } from '../../core/time.ts';
import { isDark } from './disruption.ts';
import { downMax, expiryFrozen, type Guardrails, limits } from './guardrails.ts';
import { isOverdue, type Observation, type Scene, type Seen, silentFor } from './silence.ts';

/** Why each candidate is held. The others are given up, the longest silent first where not all may be. */
export function holdsOf(brakes: Guardrails, scene: Scene, { seen, objects }: Observation): Map<string, string> {
  const holds = new Map<string, string>();
  const candidates = seen.filter(({ isCandidate }) => isCandidate).sort((a, b) => a.heardAt - b.heardAt || (a.id < b.id ? -1 : 1));
  const room = roomOf(brakes, scene);
  for (const one of candidates) {
    const why = whyHeld(one, brakes, scene, room.left) ?? objects?.(one);
    if (why !== undefined) holds.set(one.id, why);
    else if (!isCalmed(one, brakes)) room.left--;
  }
  return holds;
}

/** How many more nodes may be given up now, by the rule in force. */
function roomOf({ disrupted, lostAt }: Guardrails, { nodes, now }: Scene): { left: number } {
  if (!disrupted) return { left: nodes.length };
  if (disrupted.rule === 7) return { left: lostAt === undefined || now - lostAt >= limits.outageEveryMs ? 1 : 0 };
  const down = nodes.filter(({ status, isExcused }) => status === 'down' && !isExcused).length;
  return { left: downMax(nodes.length) - down };
}

function whyHeld(one: Seen, brakes: Guardrails, scene: Scene, left: number): string | undefined {
  if (expiryFrozen({ brakes })) return `held by rule 16: an operator has frozen expiry in zone ${scene.zone}`;
  if (isCalmed(one, brakes)) return undefined;
  const { disrupted } = brakes;
  if (disrupted?.rule === 7) return inOutage(disrupted, scene, left);
  return (disrupted && inPart(one, disrupted, scene, left)) ?? inDarkRack(one, brakes, scene) ?? tooEarly(one, scene);
}

/** An operator has calmed the zone after this node fell silent: it is lost. */
const isCalmed = (one: Seen, { calmedAt }: Guardrails): boolean => silentFor(one) <= (calmedAt ?? -1);

function inOutage({ until }: NonNullable<Guardrails['disrupted']>, scene: Scene, left: number): string | undefined {
  const { zone, nodes, silent, now } = scene;
  const share = `${silent.length} of ${nodes.length} nodes are silent`;
  if (isDark(scene))
    return `held suspect by rule 7: no node is heard in zone ${zone}, ${share}; held until one is, or an operator calms the zone`;
  if (nodes.length <= limits.smallZone)
    return `held suspect by rule 7: ${share} in zone ${zone}; held until fewer are, or an operator calms the zone`;
  if (now < until) return `held suspect by rule 7: ${share} in zone ${zone}; no node is given up before ${iso(until)}`;
  return left > 0
    ? undefined
    : `held suspect by rule 7: ${share} in zone ${zone}; one node per ${limits.outageEveryMs / 1000} s is given up`;
}

function inPart(one: Seen, { together, until }: NonNullable<Guardrails['disrupted']>, scene: Scene, left: number): string | undefined {
  const { zone, nodes, silent, leaseMs } = scene;
  const isTogether = together && one.heardAt >= together.from - leaseMs && one.heardAt <= together.to + leaseMs;
  const ends = `the zone is disrupted until ${iso(until)} at the latest`;
  if (isTogether) return `held suspect by rule 6: ${silent.length} of ${nodes.length} nodes of zone ${zone} fell silent together; ${ends}`;
  if (left > 0) return undefined;
  return `held suspect by rule 6: ${downMax(nodes.length)} of ${nodes.length} nodes may be down at once in zone ${zone}; ${ends}`;
}

function inDarkRack({ rack }: Seen, { racks }: Guardrails, { now }: Scene): string | undefined {
  const dark = racks?.find((known) => known.rack === rack && now < known.until);
  return dark && `held suspect by rule 8: all nodes of rack ${rack} fell silent in one window; held until ${iso(dark.until)} at the latest`;
}

/**
 * Rule 4 applies to a node that alone is silent: the reports of its clients do not count while others are overdue, too.
 */
function tooEarly(one: Seen, { nodes, now }: Scene): string | undefined {
  if (one.leaseUntil === undefined || one.leaseUntil <= now || one.status !== 'suspect') return undefined;
  const others = nodes.filter((other) => other.id !== one.id && other.status !== 'down' && isOverdue(other, now)).length;
  if (others <= limits.overdueShare * nodes.length) return undefined;
  return `held suspect by rule 4: its clients do not reach it, but ${others} others are overdue as well; its lease lasts until ${iso(one.leaseUntil)}`;
}

const iso = (at: EpochMs): string => new Date(at).toISOString();

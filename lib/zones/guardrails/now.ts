import type { Concluded } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';
import { heldByStations } from '../../stations/rows/quorum.ts';
import { rosterSize, standingAt } from '../map/rows/roster.ts';
import { standings } from '../map/rows/standing.ts';
import type { StandingDecision, ZoneSnapshot } from '../map/snapshot.ts';
import { applyGuardrails, checkEveryMs, mustCheckAgain } from './braking.ts';
import type { Guardrails } from './guardrails.ts';
import { type Seen, seenOf } from './silence.ts';

/** The result of the guard-rails for a snapshot; `asks` when they must read more of the zone first. */
export type GuardrailOutcome = {
  readonly brakes: Guardrails;
  readonly holds: ReadonlyMap<string, string>;
  readonly events: readonly Concluded[];
  readonly because: readonly string[];
  /** When they must read the zone again; absent when nothing is held. */
  readonly lookAt?: EpochMs;
  readonly asks?: { readonly looks?: true; readonly follows?: readonly string[] };
};

/**
 * The guard-rails of a zone for one plan. They read the members only when a node may be given up, or while they hold
 * something.
 */
export function guardrailsNow(snapshot: ZoneSnapshot, now: EpochMs, nodesMax: number): GuardrailOutcome {
  const { zone, nodes, allMembers, stations, graceUntil, asked } = snapshot;
  const calm: GuardrailOutcome = { brakes: zone.head.brakes, holds: new Map(), events: [], because: [] };
  const due = new Map(nodes.map(({ body }) => [body.id as string, body]));
  if (!allMembers) {
    const isDue = [...due.values()].some((node) => seenOf(node, 0, now)?.isCandidate);
    return isDue || isOn(zone.head) ? { ...calm, asks: { looks: true } } : calm;
  }
  const members = new Map<string, Node>(allMembers.nodes.map((node) => [node.id, node]));
  for (const [id, node] of due) members.set(id, node);
  const seen = [...members.values()].flatMap((node) => seenOf(node, allMembers.leaseMs, now) ?? []);
  // Rule 17: the stations confirm a loss. An operator who calms the zone overrules its guard-rails, but not what its
  // stations hear.
  const objects = stations && ((one: Seen) => heldByStations(stations, one, now));
  const verdict = applyGuardrails(zone.head, { seen, leaseMs: allMembers.leaseMs, ...(objects && { objects }) }, now, { graceUntil });
  const isKnown = (id: string): boolean => due.has(id) || asked?.has(id) === true;
  const released = seen.filter(({ id, isCandidate }) => isCandidate && !isKnown(id) && !verdict.holds.has(id)).map(({ id }) => id);
  const follows = released.sort().slice(0, Math.max(0, nodesMax - due.size));
  return {
    ...verdict,
    ...(mustCheckAgain(verdict) && { lookAt: plusMs(now, checkEveryMs(allMembers.leaseMs)) }),
    ...(follows.length > 0 && { asks: { follows } }),
  };
}

/** Whether the guard-rails hold anything: the zone is disrupted, a rack is dark, or a suspect was not given up. */
export function isOn({ brakes, roster }: ZoneSnapshot['zone']['head']): boolean {
  if (brakes.disrupted || (brakes.racks ?? []).length > 0) return true;
  for (let index = 0; index < rosterSize(roster); index++) if (standingAt(roster, index) === standings.suspect) return true;
  return false;
}

/**
 * The guard-rails once a plan has processed its nodes. In a mostly silent zone, the next loss waits from the time of
 * this one.
 */
export function guardrailsAfter({ brakes }: GuardrailOutcome, round: readonly StandingDecision[], now: EpochMs): Guardrails {
  const loses = round.some(({ before, standing }) => standing === 'down' && before !== 'down');
  return loses && brakes.disrupted?.rule === 7 ? { ...brakes, lostAt: now } : brakes;
}

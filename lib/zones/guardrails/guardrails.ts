import * as z from 'zod';
import { EpochMs, minuteMs, secondMs } from '../../core/time.ts';

/** Operations that an operator may stop in a zone: moves of slots, giving nodes up for their silence, or both. */
export const Freeze = z.enum(['moves', 'expiry', 'all']);
export type Freeze = z.infer<typeof Freeze>;

/** Nodes that were last heard between `from` and `to`, each within one lease of another: they fell silent together. */
const Together = z.strictObject({ from: EpochMs, to: EpochMs });
export type Together = z.infer<typeof Together>;

/** More silence than failures of single nodes explain, and until when at the latest it is excused. */
const Disrupted = z.strictObject({
  /** Six: a part of the zone is silent; seven: most of it, or all. */
  rule: z.union([z.literal(6), z.literal(7)]),
  since: EpochMs,
  until: EpochMs,
  /** The silent nodes and all nodes when it began, or when the rule last changed. */
  silent: z.int().positive(),
  nodes: z.int().positive(),
  together: Together.optional(),
  /** Since when so few are silent that the disruption ends once two leases have passed. */
  calmSince: EpochMs.optional(),
});

/**
 * A rack whose nodes fell silent in one window; stored until one lease after all of them are heard, or they are given
 * up.
 */
const DarkRack = z.strictObject({ rack: z.string(), until: EpochMs });

/** The state of a zone's guard-rails, which hold it back from giving up nodes: a part of the zone's head. */
export const Guardrails = z.strictObject({
  disrupted: Disrupted.optional(),
  racks: z.array(DarkRack).optional(),
  /**
   * When the last disruption ended: nodes that had fallen silent by then are its remainder, and do not begin another.
   */
  endedAt: EpochMs.optional(),
  /** When an operator last calmed the zone: no rule holds nodes that were silent by then. */
  calmedAt: EpochMs.optional(),
  /** When a mostly silent zone last gave up a node. */
  lostAt: EpochMs.optional(),
  freeze: Freeze.optional(),
});
export type Guardrails = z.infer<typeof Guardrails>;

/**
 * The figures of the rules, as shares of the nodes that are admitted. Fifteen and ten per cent are Eureka's threshold
 * with room between beginning and end, fifteen minutes the end that Eureka lacks; 55 %, fifty nodes and one in 100 s
 * are what Kubernetes does with a zone.
 */
export const limits = {
  partShare: 0.15,
  partNodes: 3,
  calmShare: 0.1,
  calmLeases: 2,
  heldMaxMs: 15 * minuteMs,
  outageShare: 0.55,
  outageNodes: 3,
  /** A mostly silent zone with at most this many nodes gives up none. */
  smallZone: 50,
  outageEveryMs: 100 * secondMs,
  /** How many others may be overdue, as a share, when a node is given up early by the reports of its clients. */
  overdueShare: 0.05,
} as const;

type HasGuardrails = { readonly brakes: Guardrails };

/** Whether so much of the zone is silent that the status of its clients is damped, too. */
export const isDisrupted = ({ brakes }: HasGuardrails): boolean => brakes.disrupted !== undefined;

/** Whether an operator has frozen the moves of slots. */
export const movesFrozen = ({ brakes }: HasGuardrails): boolean => brakes.freeze === 'moves' || brakes.freeze === 'all';

/** Whether an operator has frozen the giving up of silent or absent nodes. */
export const expiryFrozen = ({ brakes }: HasGuardrails): boolean => brakes.freeze === 'expiry' || brakes.freeze === 'all';

/** The guard-rails with this freeze of an operator, or none. */
export function frozenAs({ freeze: _before, ...rest }: Guardrails, freeze: Freeze | undefined): Guardrails {
  return { ...rest, ...(freeze && { freeze }) };
}

/** What a freeze stops, in words. */
export const describeFreeze = (freeze: Freeze | undefined): string => (freeze ? stops[freeze] : 'no longer frozen');

const stops: Readonly<Record<Freeze, string>> = {
  moves: 'slots stay where they are',
  expiry: 'no node is given up for being silent or away',
  all: 'no node is given up, and slots stay where they are',
};

/** How many nodes of so many may be down while the zone is disrupted. */
export const downMax = (nodes: number): number => Math.max(1, Math.floor(limits.partShare * nodes));

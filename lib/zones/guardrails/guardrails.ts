import * as z from 'zod';
import { EpochMs, minuteMs, secondMs } from '../../core/time.ts';

/** What an operator may stop in a zone: slots that move, nodes that are given up for their silence, or both. */
export const Freeze = z.enum(['moves', 'expiry', 'all']);
export type Freeze = z.infer<typeof Freeze>;

/** Nodes that were last heard from `from` to `to`, each within one lease of another: they fell silent together. */
const Together = z.strictObject({ from: EpochMs, to: EpochMs });
export type Together = z.infer<typeof Together>;

/** More silence than nodes of their own account for, and until when that is excused at the latest. */
const Disrupted = z.strictObject({
  /** Six: a part of the zone is silent; seven: most of it, or all. */
  rule: z.union([z.literal(6), z.literal(7)]),
  since: EpochMs,
  until: EpochMs,
  /** How many were silent of how many when it began, or when the rule last changed. */
  silent: z.int().positive(),
  nodes: z.int().positive(),
  together: Together.optional(),
  /** Since when so few are silent that it is over once two leases have passed. */
  calmSince: EpochMs.optional(),
});

/**
 * A rack whose nodes fell silent in one window; kept until one lease after all of them are heard, or they are given up.
 */
const DarkRack = z.strictObject({ rack: z.string(), until: EpochMs });

/** What holds a zone back from giving up nodes: its part of the zone's head. */
export const Brakes = z.strictObject({
  disrupted: Disrupted.optional(),
  racks: z.array(DarkRack).optional(),
  /** When the last disruption ended: who had fallen silent by then is its remainder, and no beginning of another. */
  endedAt: EpochMs.optional(),
  /** When an operator last said that who is silent by then is lost: no rule holds those. */
  calmedAt: EpochMs.optional(),
  /** When a zone that is mostly silent last gave up a node. */
  lostAt: EpochMs.optional(),
  freeze: Freeze.optional(),
});
export type Brakes = z.infer<typeof Brakes>;

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
  /** Up to so many nodes a zone that is mostly silent gives up none. */
  smallZone: 50,
  outageEveryMs: 100 * secondMs,
  /** How many others may be overdue, as a share, while a node is given up early by what its clients say. */
  overdueShare: 0.05,
} as const;

type Braked = { readonly brakes: Brakes };

/** Whether so much of the zone is silent that the status of its clients is damped, too. */
export const isDisrupted = ({ brakes }: Braked): boolean => brakes.disrupted !== undefined;

/** Whether no slot may move, by an operator's word. */
export const movesFrozen = ({ brakes }: Braked): boolean => brakes.freeze === 'moves' || brakes.freeze === 'all';

/** Whether nobody may be given up for being silent or away, by an operator's word. */
export const expiryFrozen = ({ brakes }: Braked): boolean => brakes.freeze === 'expiry' || brakes.freeze === 'all';

/** The brakes with something else frozen, by an operator's word, or nothing. */
export function frozenAs({ freeze: _before, ...rest }: Brakes, freeze: Freeze | undefined): Brakes {
  return { ...rest, ...(freeze && { freeze }) };
}

/** What a freeze stops, in words; what goes on without one. */
export const saidOf = (freeze: Freeze | undefined): string => (freeze ? stops[freeze] : 'nothing is frozen any more');

const stops: Readonly<Record<Freeze, string>> = {
  moves: 'slots are frozen where they are',
  expiry: 'nobody is given up for being silent or away',
  all: 'nobody is given up, and slots are frozen where they are',
};

/** How many nodes of so many may be down while the zone is disrupted. */
export const downMax = (nodes: number): number => Math.max(1, Math.floor(limits.partShare * nodes));

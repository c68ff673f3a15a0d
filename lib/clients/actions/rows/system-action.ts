import * as z from 'zod';
import { type ActionNumber, Fingerprint, Fqdn, NodeId, ZoneName } from '../../../core/ids.ts';
import { refOf } from '../../../core/ref.ts';
import { EpochMs, hourMs } from '../../../core/time.ts';
import { IdThere, partsMax } from '../../../uyuni/actions/rows/action.ts';
import { perCallMax, selectedMax } from '../../rows/selected.ts';
import { What } from './what.ts';

/** How long an order waits for the agents of its nodes: a reboot that comes a day later is a surprise. */
export const takenWithinMs = hourMs;
/** The most calls that make one order: each has at most 200 client systems. */
export const callsMax = selectedMax / perCallMax;
/** The most client systems that a part names with what became of them: some 20 KB of a row that each report writes. */
export const examplesMax = 50;

/** The most client systems that one view names, of all nodes: each is a row that is read for its name. */
export const examplesShownMax = 200;

const Count = z.int().nonnegative().max(selectedMax);

/**
 * An order to act on client systems, by its number, which is that of an action in the cluster. While it is `collecting`
 * its calls add client systems, and no server does anything.
 */
export const SystemAction = z.strictObject({
  what: What,
  by: z.string(),
  orderedAt: EpochMs,
  state: z.enum(['collecting', 'ordered']),
  /** How many calls have added client systems. */
  calls: z.int().nonnegative().max(callsMax),
  /** The nodes that have them, and how many each has. */
  nodes: z.array(z.strictObject({ node: NodeId, fqdn: Fqdn, zone: ZoneName, systems: Count })).max(partsMax),
  /** An agent that has not taken its part by then does not. */
  until: EpochMs,
  /** Somebody has cancelled what no agent had taken. */
  cancelled: z.strictObject({ by: z.string(), at: EpochMs }).optional(),
  expiresAt: EpochMs,
});
export type SystemAction = z.infer<typeof SystemAction>;
/** The row of an order, by its number. */
export const systemActionRef = refOf('system-action', SystemAction, (number: ActionNumber) => String(number));

/** The client systems that one call has added, each with its node. */
export const AddedSystems = z.strictObject({
  systems: z.array(z.strictObject({ fp: Fingerprint, node: NodeId })).max(perCallMax),
});
export type AddedSystems = z.infer<typeof AddedSystems>;
/** The row of the client systems of a call, by the number of the order, and that of the call from 0 on. */
export const addedSystemsRef = refOf('added-systems', AddedSystems, (number: ActionNumber, call: number) => `${number}/${call}`);

/** What became of a client system that is not simply done. */
export const Example = z.strictObject({
  fp: Fingerprint,
  is: z.enum(['failed', 'left', 'unknown', 'cancelled']),
  why: z.string().max(300),
});
export type Example = z.infer<typeof Example>;

/** What became of client systems: those that are in none of these are in progress. */
export const counts = {
  done: Count,
  failed: Count,
  /** Their server was not asked, or has refused. */
  left: Count,
  /** Nobody knows whether their server has scheduled it: it is not asked twice. */
  unknown: Count,
  /** Somebody has cancelled it before its agent took it, or on the server, which has it no more. */
  cancelled: Count,
} as const;

/**
 * The part of a node, from when its agent takes it. `taken`: it may ask its server from now on, and no other agent
 * does; `scheduled`: the server has it; `ended`: there is nothing more to come. Without a report, an ended part was
 * cancelled before its agent took it.
 */
export const ActionOfNode = z.strictObject({
  zone: ZoneName,
  state: z.enum(['taken', 'scheduled', 'ended']),
  at: EpochMs,
  /** The number of the last report that was taken in. */
  seq: z.int().nonnegative(),
  systems: Count,
  ...counts,
  examples: z.array(Example).max(examplesMax),
  /** The number on the server, where that has it as one action. */
  id: IdThere.optional(),
  /** Why it ended, if not because each of its client systems has. */
  why: z.string().max(500).optional(),
  expiresAt: EpochMs,
});
export type ActionOfNode = z.infer<typeof ActionOfNode>;
/** The row of the part of a node, by the number of the order and the node. */
export const actionOfNodeRef = refOf('action-of-node', ActionOfNode, (number: ActionNumber, node: NodeId) => `${number}/${node}`);

import * as z from 'zod';
import { ActionNumber, clusterIdMax, Fqdn, firstActionNumber, NodeId, ZoneName } from '../../../core/ids.ts';
import { refOf } from '../../../core/ref.ts';
import { dayMs, EpochMs } from '../../../core/time.ts';

/** The number of an action on its server. */
export const IdThere = z.int().positive().max(clusterIdMax);

/** How long a number is known: an action may be scheduled for the maintenance window of the next quarter. */
export const knownForMs = 120 * dayMs;

/** The most servers that take part in one action. */
export const partsMax = 1_000;

/** The part of an action that one server has scheduled; `id` is its number there. `zone`: that of the node then. */
export const ActionPart = z.strictObject({ node: NodeId, fqdn: Fqdn, zone: ZoneName, id: IdThere });
export type ActionPart = z.infer<typeof ActionPart>;

/** An action of the cluster: its parts never change. */
export const Action = z.strictObject({
  parts: z.array(ActionPart).min(1).max(partsMax),
  recordedAt: EpochMs,
  expiresAt: EpochMs,
});
export type Action = z.infer<typeof Action>;
/** The row of an action, by its number. */
export const actionRef = refOf('action', Action, (number: ActionNumber) => String(number));

/** Which action of the cluster has the action of a server as a part. */
export const ActionThere = z.strictObject({ number: ActionNumber });
export type ActionThere = z.infer<typeof ActionThere>;
/** The row that finds an action of the cluster by a node and the number there. */
export const actionThereRef = refOf('action-there', ActionThere, (node: NodeId, id: number) => `${node}/${id}`);

/** Which numbers are reserved: one row of the deployment, with the least that never was. */
export const ActionNumbers = z.strictObject({ next: z.int().min(firstActionNumber) });
export type ActionNumbers = z.infer<typeof ActionNumbers>;
/** The row that says which numbers are reserved. */
export const actionNumbersRef = refOf('action-numbers', ActionNumbers, () => 'all');

import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { ActionNumber, ActionNumberInPath, Fingerprint, Fqdn, NodeId } from '../../core/ids.ts';
import { IdThere } from '../../uyuni/actions/rows/action.ts';
import { orderOn, Results } from '../selection-routes.ts';
import { counts, Example, examplesShownMax } from './rows/system-action.ts';
import { What } from './rows/what.ts';

export { inWords, What } from './rows/what.ts';

const number = ActionNumber.describe('The number of an action in the cluster');

/** How far client systems have come; `systems` are all, and those that are in no other count are in progress. */
const Progress = z.strictObject({ systems: z.int(), inProgress: z.int(), ...counts });
export type Progress = z.infer<typeof Progress>;

/** The part of a node in an action. */
const PartView = Progress.extend({
  node: NodeId,
  fqdn: Fqdn,
  /** `waiting`: its agent has not taken it yet; `late`: it has not, and does not any more. */
  state: z.enum(['waiting', 'late', 'taken', 'scheduled', 'ended']),
  /** When it came to that, or went on last. */
  at: Moment,
  /** The number on the server, where that has it as one action. */
  id: IdThere.optional(),
  why: z.string().optional(),
});
export type PartView = z.infer<typeof PartView>;

/** An action on client systems as the API and the command line show it. */
export const SystemActionView = Progress.extend({
  number,
  /** What is done; the script of a command only for those who may run one. */
  what: z.union([What, z.strictObject({ do: z.literal('command') })]),
  by: z.string(),
  orderedAt: Moment,
  /** `collecting`: calls of the order are missing, and nothing is done before they come. */
  state: z.enum(['collecting', 'under-way', 'ended']),
  /** Servers that have not begun by then do not. */
  until: Moment,
  expiresAt: Moment,
  nodes: z.array(PartView),
  /** Client systems that have not simply done it, and why: at most 50 of each node, and 200 in all. */
  examples: z.array(Example.extend({ fp: Fingerprint, fqdn: Fqdn.optional() })).max(examplesShownMax),
  /** How many more have not simply done it. */
  others: z.int(),
});
export type SystemActionView = z.infer<typeof SystemActionView>;

const params = z.strictObject({
  number: ActionNumberInPath,
});

/** How people act on client systems through the servers that manage them. */
export const systemActionRoutes = {
  actOnSystems: route({
    method: 'POST',
    path: '/api/v1/systems/act',
    summary:
      'Have Uyuni servers act on their client systems: highstate, packages, errata, reboot, or a command, which needs the scope execute. All of it is one action, with one number; nothing is done before the last call of an order by a query. Not safe to repeat without an Idempotency-Key',
    scope: 'operate',
    body: orderOn({ action: What }),
    reply: Results.extend({
      /** The number of the action; absent where no client system takes part. */
      action: number.optional(),
      /** How many client systems take part, so far. */
      systems: z.int(),
    }),
    statuses: [200, 202],
    errors: ['bad-cursor', 'bad-query', 'matches-changed', 'refused'],
  }),
  systemAction: route({
    method: 'GET',
    path: '/api/v1/system-actions/{number}',
    summary: 'How far an action on client systems has come, on each node, and which of them have failed',
    scope: 'read',
    params,
    reply: SystemActionView,
    statuses: [200],
    errors: ['not-found'],
  }),
  cancelSystemAction: route({
    method: 'POST',
    path: '/api/v1/system-actions/{number}/cancel',
    summary:
      'Cancel an action on client systems where no agent has taken its part yet. What servers have already is cancelled there. Repeating the call changes nothing',
    scope: 'operate',
    params,
    reply: z.strictObject({
      /** How many client systems were cancelled, by this call and earlier ones. */
      cancelled: z.int(),
      /** How many were not: an agent has taken them, or their time has passed. */
      others: z.int(),
    }),
    statuses: [200],
    errors: ['not-found', 'refused'],
  }),
} as const;

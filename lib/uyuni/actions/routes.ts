import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { ActionNumber, ActionNumberInPath, Fqdn, NodeId } from '../../core/ids.ts';
import { IdThere, partsMax } from './rows/action.ts';

/** The most numbers that are reserved, or actions of a server that are asked about, in one call. */
const atOnceMax = 200;

const number = ActionNumber.describe('The number of an action in the cluster');

/** An action of the cluster: its parts that servers of the same membership have. */
export const ActionView = z.strictObject({
  number,
  parts: z.array(z.strictObject({ node: Fqdn, id: IdThere })),
  recordedAt: Moment,
  expiresAt: Moment,
});
export type ActionView = z.infer<typeof ActionView>;

const params = z.strictObject({
  number: ActionNumberInPath,
});
/** What shows that a number was reserved, and until when something may be recorded under it: one for each number. */
const proof = z
  .string()
  .regex(/^[A-Za-z0-9_-]{20,64}$/, 'a proof that came with the number')
  .describe('Shows that the number was reserved. It is good for an hour');
/** A node by id or by its fully qualified name. */
const node = z.union([NodeId, Fqdn]);

/** How a gateway makes one number of what several servers have scheduled. */
export const actionRoutes = {
  reserveActionNumbers: route({
    method: 'POST',
    path: '/api/v1/actions/numbers',
    summary: 'Numbers for actions that Uyuni servers will schedule. No other call is given the same ones, and none comes again',
    scope: 'number',
    body: z.strictObject({ count: z.int().min(1).max(atOnceMax).default(1) }),
    reply: z.strictObject({ numbers: z.array(z.strictObject({ number, proof })) }),
    statuses: [201],
    errors: ['refused'],
  }),
  recordAction: route({
    method: 'PUT',
    path: '/api/v1/actions/{number}',
    summary:
      'What servers have scheduled as one action, under a number that was reserved within the last hour, with the proof that came with it: the number of its part on each. It is known for 120 days. The same parts may be sent again',
    scope: 'number',
    params,
    body: z.strictObject({
      proof,
      parts: z
        .array(z.strictObject({ node: Fqdn, id: IdThere }))
        .min(1)
        .max(partsMax),
    }),
    reply: ActionView,
    statuses: [200],
    errors: ['unknown-node', 'refused'],
  }),
  getAction: route({
    method: 'GET',
    path: '/api/v1/actions/{number}',
    summary: 'Which actions of servers an action of the cluster stands for',
    scope: 'read',
    params,
    reply: ActionView,
    statuses: [200],
    errors: ['not-found'],
  }),
  findActions: route({
    method: 'GET',
    path: '/api/v1/actions',
    summary: 'The numbers in the cluster of actions of a server. Actions that have none are left out',
    scope: 'read',
    query: z.strictObject({
      node,
      /** Numbers of actions on that server, with commas between them. */
      ids: z.string().regex(/^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,199}$/, 'up to 200 numbers with commas between them'),
    }),
    reply: z.strictObject({ items: z.array(z.strictObject({ id: IdThere, number })) }),
    statuses: [200],
    errors: ['unknown-node'],
  }),
} as const;

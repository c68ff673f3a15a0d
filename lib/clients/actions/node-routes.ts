import * as z from 'zod';
import { Incarnation } from '../../../events/define.ts';
import { route } from '../../api/route.ts';
import { signatureProblems } from '../../api/signature-problems.ts';
import { ActionNumberInPath, Fingerprint, NodeId } from '../../core/ids.ts';
import { EpochMs } from '../../core/time.ts';
import { ActionOfNode } from './rows/system-action.ts';
import { What } from './rows/what.ts';

export { type Example, examplesMax } from './rows/system-action.ts';
export { inWords, What } from './rows/what.ts';

const params = z.strictObject({
  id: NodeId,
  number: ActionNumberInPath,
});

const errors = [...signatureProblems, 'unknown-node', 'send-node-up', 'must-rejoin', 'removed'] as const;

/** What an agent reports of its part of an action: all of it, each time, under a number that grows. */
export const PartReport = ActionOfNode.omit({ zone: true, at: true, systems: true, expiresAt: true }).extend({
  incarnation: Incarnation,
  seq: z.int().positive(),
  state: z.enum(['scheduled', 'ended']),
});
export type PartReport = z.infer<typeof PartReport>;

/** An action of a newer Muster, which this agent does not know: it still reads the rest of the answer. */
const OtherWhat = z.looseObject({ do: z.string() });

/** How the agent of a Uyuni server takes its part of actions on client systems, and reports it. */
export const nodeActionRoutes = {
  takeAction: route({
    method: 'POST',
    path: '/nodes/{id}/actions/{number}/take',
    summary:
      'Take the part of the node in an action on client systems. It is taken once: an agent that has lost what it knew of one that it has taken is not told of it again. Repeating the call changes nothing',
    scope: 'node',
    params,
    body: z.strictObject({ incarnation: Incarnation }),
    /** `later`: ask again; `gone`: there is nothing to do, and why. */
    reply: z.union([
      z.strictObject({ is: z.literal('taken'), what: z.union([What, OtherWhat]), calls: z.int(), systems: z.int(), until: EpochMs }),
      z.strictObject({ is: z.enum(['later', 'gone']), why: z.string() }),
    ]),
    statuses: [200],
    errors,
  }),
  systemsOfAction: route({
    method: 'GET',
    path: '/nodes/{id}/actions/{number}/systems',
    summary: 'The client systems of the node that take part in an action, those that some calls of the order have added',
    scope: 'node',
    params,
    query: z.strictObject({ from: z.coerce.number().int().nonnegative().default(0) }),
    /** `next`: the call to read on from; absent after the last. */
    reply: z.strictObject({ systems: z.array(Fingerprint), next: z.int().optional() }),
    statuses: [200],
    errors,
  }),
  reportAction: route({
    method: 'POST',
    path: '/nodes/{id}/actions/{number}',
    summary: 'Report how far the part of the node in an action has come. Repeating a report, by its number, changes nothing',
    scope: 'node',
    params,
    body: PartReport,
    reply: z.strictObject({ because: z.string() }),
    statuses: [200],
    errors,
  }),
} as const;

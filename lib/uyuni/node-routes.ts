import * as z from 'zod';
import { Incarnation } from '../../events/define.ts';
import { route } from '../api/route.ts';
import { signatureProblems } from '../api/signature-problems.ts';
import { NodeId } from '../core/ids.ts';
import { Change } from './outbox/batch.ts';
import { SourceId } from './outbox/source.ts';

/** The most kinds that one report is about: every kind once, and everything. */
const changesMax = 100;

/** What the agent of a Uyuni server reports of it. */
export const uyuniNodeRoutes = {
  reportChanges: route({
    method: 'POST',
    path: '/nodes/{id}/changes',
    summary:
      'Report what has changed on the Uyuni server of the node. It is taken once the call is answered; repeating a report, by its number, changes nothing',
    scope: 'node',
    params: z.strictObject({ id: NodeId }),
    body: z.strictObject({
      incarnation: Incarnation,
      /** Whose count the number is. */
      source: SourceId,
      seq: z.int().positive(),
      changes: z.array(Change).min(1).max(changesMax),
    }),
    /** The number up to which reports of this source were taken. */
    reply: z.strictObject({ taken: z.int().positive() }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'send-node-up', 'must-rejoin', 'removed'],
  }),
} as const;

import * as z from 'zod';
import { route } from '../api/route.ts';
import { signatureProblems } from '../api/signature-problems.ts';
import { InstanceId, NodeId, ServiceName, ServiceTypeName } from '../core/ids.ts';
import { FoundService, QuestionAnswer } from './view-routes.ts';

const id = z.strictObject({ id: NodeId });

/** The routes that a service of a node calls through its agent. */
export const servicesOfNodeRoutes = {
  services: route({
    method: 'GET',
    path: '/nodes/{id}/services',
    summary: 'The services of a name in the zone of the node, online services first',
    scope: 'node',
    params: id,
    query: z.strictObject({ name: ServiceName }),
    reply: z.array(FoundService),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed'],
  }),
  askQuestion: route({
    method: 'POST',
    path: '/nodes/{id}/services/{type}/questions',
    summary: 'Ask Muster, as a service of the node, one of the questions that its type declares. The call changes nothing',
    scope: 'node',
    params: z.strictObject({ id: NodeId, type: ServiceTypeName }),
    body: z.strictObject({ instance: InstanceId, question: ServiceTypeName, data: z.json().optional() }),
    reply: QuestionAnswer,
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed', 'service-not-running', 'unknown-message', 'type-shut-out'],
  }),
} as const;

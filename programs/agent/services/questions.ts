import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import type { NodeId } from '../../../lib/core/ids.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { QuestionAnswer } from '../../../lib/services/view-routes.ts';
import type { Question } from './said.ts';

/** Muster's answer to a service, or why there is none; `again` when the service may try again. */
export type Answered =
  | { readonly ok: true; readonly answer: QuestionAnswer }
  | { readonly ok: false; readonly why: string; readonly again?: true };

/**
 * Asks Muster a question for a service of this node, under the node's identity. Each call asks again: an answer holds
 * only for its moment. Never rejects because Muster is unreachable. `node` is undefined while Muster has not
 * acknowledged it.
 */
export async function askMuster(
  { api, node }: { readonly api: ApiClient; node(): NodeId | undefined },
  { service, instance, question, data }: Question,
): Promise<Answered> {
  const id = node();
  if (id === undefined) return { ok: false, why: 'Muster has not acknowledged this boot yet; try again', again: true };
  const body = { instance, question, ...(data !== undefined && { data }) };
  try {
    const answer = await api(nodeRoutes.askQuestion, { params: { id, type: service }, body });
    if (answer.ok) return { ok: true, answer: answer.body };
    return { ok: false, why: `refused (${problemTypeOf(answer.problem)}): ${answer.problem.detail}` };
  } catch (error) {
    if (error instanceof Unreachable) return { ok: false, why: error.message, again: true };
    throw error;
  }
}

import { Unreachable } from '../../../../lib/api/client.ts';
import { type Problem, problemTypeOf } from '../../../../lib/api/problem.ts';
import type { What } from '../../../../lib/clients/actions/node-routes.ts';
import type { ActionNumber, Fingerprint } from '../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { nodeRoutes } from '../../../../lib/node-contract.ts';
import type { AgentView } from '../../view.ts';
import type { ReportContent } from './follow.ts';

/** What Muster answers to an agent that asks for its part of an action. */
export type Taken =
  | { readonly is: 'taken'; readonly what: What; readonly until: EpochMs; readonly systems: readonly Fingerprint[] }
  | { readonly is: 'later' | 'gone'; readonly why: string };

/** Actions on client systems in Muster, as a node takes and reports them. Every call throws {@link Unreachable}. */
export type ActionsOfMuster = {
  take(number: ActionNumber): Promise<Taken>;
  report(number: ActionNumber, report: ReportContent & { readonly seq: number }): Promise<void>;
};

/** Muster, by the calls of an agent. A refusal is tried again as if Muster had not answered. */
export function actionsBy({ api, member }: AgentView): ActionsOfMuster {
  const own = () => {
    const now = member();
    if (!now) throw new Unreachable('this host is no node of Muster at the moment');
    return now;
  };
  const systemsOf = async (number: ActionNumber): Promise<Fingerprint[]> => {
    const systems: Fingerprint[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const params = { id: own().node, number: String(number) };
      const page: SystemsPage = bodyOf(await api(nodeRoutes.systemsOfAction, { params, query: { from } }));
      systems.push(...page.systems);
      from = page.next;
    }
    return systems;
  };
  return {
    take: async (number) => {
      const { node: id, incarnation } = own();
      const answer = bodyOf(await api(nodeRoutes.takeAction, { params: { id, number: String(number) }, body: { incarnation } }));
      return answer.is === 'taken' ? { is: 'taken', what: answer.what, until: answer.until, systems: await systemsOf(number) } : answer;
    },
    report: async (number, { examples, ...report }) => {
      const { node: id, incarnation } = own();
      const body = { ...report, incarnation, examples: [...examples] };
      bodyOf(await api(nodeRoutes.reportAction, { params: { id, number: String(number) }, body }));
    },
  };
}

type SystemsPage = { readonly systems: readonly Fingerprint[]; readonly next?: number | undefined };

/** The body of an answer. Throws {@link Unreachable} for a refusal. */
function bodyOf<B>(answer: { readonly ok: true; readonly body: B } | { readonly ok: false; readonly problem: Problem }): B {
  if (answer.ok) return answer.body;
  throw new Unreachable(`Muster refuses it (${problemTypeOf(answer.problem)}): ${answer.problem.detail}`);
}

import { Unreachable } from '../../../../lib/api/client.ts';
import { type Problem, type problems, problemTypeOf } from '../../../../lib/api/problem.ts';
import { What } from '../../../../lib/clients/actions/node-routes.ts';
import type { ActionNumber, Fingerprint } from '../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { nodeRoutes } from '../../../../lib/node-contract.ts';
import type { AgentView } from '../../view.ts';
import type { ReportContent } from './follow.ts';
import type { Wanted } from './order.ts';

/** What Muster answers to an agent that asks for its part of an action. */
export type Taken =
  | { readonly is: 'taken'; readonly what: Wanted; readonly until: EpochMs; readonly systems: readonly Fingerprint[] }
  | { readonly is: 'later' | 'gone'; readonly why: string };

/**
 * Muster refused a call about one action. `isFinal`: it will refuse it again, so that the action is given up; otherwise
 * the call is made again.
 */
export class RefusedByMuster extends Error {
  override readonly name = 'RefusedByMuster';
  readonly isFinal: boolean;

  constructor(why: string, isFinal: boolean) {
    super(why);
    this.isFinal = isFinal;
  }
}

/**
 * Actions on client systems in Muster, as a node takes and reports them. Every call throws {@link Unreachable}, and
 * {@link RefusedByMuster}.
 */
export type ActionsOfMuster = {
  take(number: ActionNumber): Promise<Taken>;
  report(number: ActionNumber, report: ReportContent & { readonly seq: number }): Promise<void>;
};

/** Muster, by the calls of an agent. What was read of an action before a call failed is not read again. */
export function actionsBy({ api, member }: AgentView): ActionsOfMuster {
  const own = () => {
    const now = member();
    if (!now) throw new Unreachable('this host is no node of Muster at the moment');
    return now;
  };
  const begun = new Map<ActionNumber, { readonly systems: readonly Fingerprint[]; readonly from: number }>();
  const systemsOf = async (number: ActionNumber): Promise<readonly Fingerprint[]> => {
    for (;;) {
      const { systems, from } = begun.get(number) ?? { systems: [], from: 0 };
      const params = { id: own().node, number: String(number) };
      const page: SystemsPage = bodyOf(await api(nodeRoutes.systemsOfAction, { params, query: { from } }));
      const all = [...systems, ...page.systems];
      if (page.next === undefined) {
        begun.delete(number);
        return all;
      }
      begun.set(number, { systems: all, from: page.next });
    }
  };
  return {
    take: async (number) => {
      const { node: id, incarnation } = own();
      const answer = bodyOf(await api(nodeRoutes.takeAction, { params: { id, number: String(number) }, body: { incarnation } }));
      if (answer.is !== 'taken') {
        begun.delete(number);
        return answer;
      }
      const what = What.safeParse(answer.what).data ?? { do: 'unknown' };
      return { is: 'taken', what, until: answer.until, systems: await systemsOf(number) };
    },
    report: async (number, { examples, ...report }) => {
      const { node: id, incarnation } = own();
      const body = { ...report, incarnation, examples: [...examples] };
      bodyOf(await api(nodeRoutes.reportAction, { params: { id, number: String(number) }, body }));
    },
  };
}

type SystemsPage = { readonly systems: readonly Fingerprint[]; readonly next?: number | undefined };

/** Refusals that may pass: of the caller as it is now, of the moment, or because of too many calls. */
const mayPass: ReadonlySet<number> = new Set([401, 408, 409, 429]);
/** Those of a node that has left: it may join again, and has its parts as before. */
const ofNode: ReadonlySet<string> = new Set(['removed', 'unknown-node'] satisfies (keyof typeof problems)[]);

/** The body of an answer. Throws {@link RefusedByMuster} for a refusal. */
function bodyOf<B>(
  answer: { readonly ok: true; readonly body: B } | { readonly ok: false; readonly status: number; readonly problem: Problem },
): B {
  if (answer.ok) return answer.body;
  const { status, problem } = answer;
  const type = problemTypeOf(problem);
  const isFinal = status >= 400 && status < 500 && !mayPass.has(status) && !ofNode.has(type);
  throw new RefusedByMuster(`Muster refuses it (${type}): ${problem.detail}`, isFinal);
}

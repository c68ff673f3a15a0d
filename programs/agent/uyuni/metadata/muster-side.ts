import { type Answered, Unreachable } from '../../../../lib/api/client.ts';
import { problemTypeOf } from '../../../../lib/api/problem.ts';
import type { Fingerprint } from '../../../../lib/core/ids.ts';
import { printable } from '../../../../lib/core/printable.ts';
import { nodeRoutes } from '../../../../lib/node-contract.ts';
import type { AgentView } from '../../view.ts';
import type { ActionEntry, Document } from './documents.ts';

/** The metadata of a client system in Muster. */
export type Held = {
  readonly revision: number;
  readonly kinds: Readonly<Record<string, { readonly revision: number; readonly document: unknown }>>;
};
/** What has become of a report: it was taken, it may be taken later, or it never will as it is. */
export type Taken =
  | { readonly is: 'taken'; readonly revision: number }
  | { readonly is: 'later' }
  | { readonly is: 'refused'; readonly why: string };

/**
 * The metadata of client systems in Muster, as their node reads and reports it. Every call throws {@link Unreachable}.
 */
export type MusterSide = {
  /** Undefined while Muster does not have this client system for this node. */
  read(fp: Fingerprint): Promise<Held | undefined>;
  put(fp: Fingerprint, kind: string, document: Document): Promise<Taken>;
  /** Appends to a history; `id` names the report, so that repeating the last one appends nothing. */
  append(fp: Fingerprint, kind: string, report: { readonly id: string; readonly entries: readonly ActionEntry[] }): Promise<Taken>;
};

/** What Muster does not take as it is, however often it is sent. */
const never = new Set(['malformed-json', 'unknown-field', 'invalid', 'too-large', 'refused']);

/** Muster, by the calls of an agent. */
export function musterBy({ api, member }: AgentView): MusterSide {
  const own = () => {
    const now = member();
    if (!now) throw new Unreachable('this host is no node of Muster at the moment');
    return now;
  };
  return {
    read: async (fp) => {
      const answer = await api(nodeRoutes.systemMetadata, { params: { id: own().node, fp } });
      return answer.ok ? answer.body : undefined;
    },
    put: async (fp, kind, document) => {
      const { node: id, generation } = own();
      return taken(await api(nodeRoutes.reportMetadata, { params: { id, fp, kind }, body: { generation, document } }));
    },
    append: async (fp, kind, { id: report, entries }) => {
      const { node: id, generation } = own();
      return taken(
        await api(nodeRoutes.reportHistory, { params: { id, fp, kind }, body: { id: report, generation, entries: [...entries] } }),
      );
    },
  };
}

function taken(answer: Answered<typeof nodeRoutes.reportMetadata>): Taken {
  if (answer.ok) return { is: 'taken', revision: answer.body.revision };
  const problem = problemTypeOf(answer.problem);
  return never.has(problem) ? { is: 'refused', why: printable(`${problem}: ${answer.problem.detail}`) } : { is: 'later' };
}

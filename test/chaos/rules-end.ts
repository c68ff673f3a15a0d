import type { ApiClient } from '../../lib/api/client.ts';
import type { ReplyOf } from '../../lib/api/route.ts';
import { contract } from '../../lib/contract.ts';
import type { Fqdn, NodeId } from '../../lib/core/ids.ts';
import type { Nodes } from '../../programs/loadtest/nodes.ts';
import type { Evidence } from './evidence.ts';
import type { Rule } from './rules.ts';

/** What the API shows of everybody at one moment, and which machines are nodes. */
export type Census = {
  readonly alive: readonly NodeId[];
  /** Machines that are not gone and no node: such as one that was drained and is about to join as a new one. */
  readonly strangers: readonly Fqdn[];
  readonly nodes: ReplyOf<typeof contract.listNodes>['items'];
  readonly systems: ReplyOf<typeof contract.listSystems>['items'];
};

/** Asks the API for everybody. */
export async function takeCensus(api: ApiClient, { machines, alive }: Pick<Nodes, 'machines' | 'alive'>): Promise<Census> {
  const strangers = machines.flatMap(({ isGone, agent, fqdn }) => (isGone || agent?.state().node !== undefined ? [] : [fqdn]));
  const runs = { alive: alive(), strangers };
  const nodes = await all(async (page) => bodyOf(await api(contract.listNodes, { query: page })));
  const systems = await all(async (page) => bodyOf(await api(contract.listSystems, { query: page })));
  return { ...runs, nodes, systems };
}

type Page<T> = { readonly items: readonly T[]; readonly next?: string | undefined };

async function all<T>(ask: (page: { limit: number; cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await ask({ limit: 200, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    if (page.next === undefined) return items;
    cursor = page.next;
  }
}

function bodyOf<T>(
  answer: { readonly ok: true; readonly body: T } | { readonly ok: false; readonly problem: { readonly detail: string } },
): T {
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
}

/** What holds at the end: whoever is alive is where it belongs, and nothing waits. */
export const endRules = ({ alive, strangers, nodes, systems }: Census): readonly Rule[] => [
  {
    name: 'nodes at the end',
    says: 'every machine that is not gone is a node, and up',
    against: ({ history }) => [
      ...alive.filter((id) => !isUp(nodes, id)).map((id) => `${id} is ${standingOf(id, nodes)}${pastOf(id, history)}`),
      ...strangers.map((fqdn) => `${fqdn} is no node`),
    ],
  },
  {
    name: 'client systems at the end',
    says: 'every client system is onboarded on a node that is up',
    against: () =>
      systems
        .filter(({ status, node }) => status !== 'onboarded' || node === undefined || !isUp(nodes, node.id))
        .map(({ fqdn, status, because }) => `${fqdn} is ${status}: ${because}`),
  },
  {
    name: 'stream at the end',
    says: 'who follows the stream has had every event of the history',
    against: ({ history, followed }) =>
      [...history].flatMap(([subject, items]) =>
        items.flatMap(({ seq, type }) => (followed.events.get(subject)?.has(seq) ? [] : [`${subject}#${seq} (${type}) never came`])),
      ),
  },
  {
    name: 'queues at the end',
    says: 'no report waits, and none was put aside',
    against: ({ stored }: Evidence) => [
      ...stored.waiting.map((report) => `waits: ${JSON.stringify(report)}`),
      ...[...stored.dead].map((id) => `put aside: ${id}`),
    ],
  },
];

/** How a node stands, and why: what a rare end needs to be understood. */
const standingOf = (id: NodeId, nodes: Census['nodes']): string => {
  const node = nodes.find((one) => one.id === id);
  if (!node) return 'unknown';
  const waits = node.leaving?.waitsFor === undefined ? '' : `, waits for ${node.leaving.waitsFor}`;
  return `${node.status}: ${node.because}${waits}`;
};

/** What befell it, oldest first. */
const pastOf = (id: NodeId, history: Evidence['history']): string =>
  (history.get(`node/${id}`) ?? []).map(({ at, type, because }) => `\n    ${at} ${type}: ${because}`).join('');

const isUp = (nodes: Census['nodes'], id: NodeId): boolean => nodes.find((node) => node.id === id)?.status === 'up';

/** Whether everybody is where they belong. */
export const isAtPeace = ({ alive, strangers, nodes, systems }: Census): boolean => {
  const up = new Set(nodes.flatMap(({ id, status }) => (status === 'up' ? [id] : [])));
  return (
    strangers.length === 0 &&
    alive.every((id) => up.has(id)) &&
    systems.every(({ status, node }) => status === 'onboarded' && node !== undefined && up.has(node.id))
  );
};

import type { NodeId } from '../../lib/core/ids.ts';
import { leaseMsOf } from '../../lib/core/lease.ts';
import type { Node } from '../../lib/nodes/node.ts';
import type { Taken } from './acknowledged.ts';
import type { Evidence, History } from './evidence.ts';
import { beatMinMs } from './keeper.ts';
import type { Rule } from './rules.ts';

/**
 * Beats that were answered; whether they count is seen in the file alone, also before anything that waits in it is
 * worked off.
 */
export const heartbeatRule: Rule = {
  name: 'heartbeat',
  says: 'a heartbeat that was taken is counted in the row, unless the node has begun another incarnation, its lease was over by then, or the node was given up meanwhile and must send node-up',
  against: ({ ack, stored }) =>
    [...ack.beats].flatMap(([id, { incarnation, seq, askedAt }]) => {
      const node = stored.nodes.get(id);
      const isOver = stored.restAt - askedAt > leaseMsOf(beatMinMs) || node?.status === 'down' || node?.status === 'dropped';
      const waits = stored.waiting.some((one) => one.type === 'node.heartbeat' && one.node === id && one.seq === seq);
      const counted = node && (node.incarnation > incarnation || node.seq >= seq || isOver || waits);
      return counted
        ? []
        : [`${id} beat ${seq} in incarnation ${incarnation}, its row says ${node?.seq} in ${node?.incarnation}, ${node?.status}`];
    }),
};

/** What was answered to agents. A report that waits is not lost, nor is one that was put aside: an operator has it. */
export const nodeRules: readonly Rule[] = [
  {
    name: 'join',
    says: 'a node that was told its id is known by it, under its name',
    against: ({ ack, stored }) => {
      const known = [...ack.joined].map(([id, fqdn]) => ({ id, fqdn, stored: stored.nodes.get(id)?.fqdn }));
      return known.filter((node) => node.stored !== node.fqdn).map(({ id, fqdn }) => `${fqdn} joined as ${id}, which is not its node`);
    },
  },
  {
    name: 'up',
    says: 'an incarnation that was acknowledged is never fallen below, neither in an answer nor in the row',
    against: ({ ack, stored }) => [
      ...ack.fellBack,
      ...[...ack.incarnations].flatMap(([id, told]) => {
        const incarnation = stored.nodes.get(id)?.incarnation ?? 0;
        return incarnation < told ? [`${id} was told incarnation ${told} and is at ${incarnation}`] : [];
      }),
    ],
  },
  heartbeatRule,
  {
    name: 'node.ready',
    says: 'a node that said it is ready is not waited for any more, and was activated unless it fell silent before, or boots since',
    against: (evidence) => lostOf('node.ready', evidence, isReady),
  },
  {
    name: 'node.leaving',
    says: 'a word about leaving made the event that carries its id, unless a later boot, a later word or the loss of the node overtook it, or it is kept as the last word, which the node could not follow then',
    against: (evidence) =>
      lostOf('node.leaving', evidence, ({ incarnation, askedAt }, node, history, id) => {
        const overtaken =
          node.incarnation > incarnation || history.some(({ type, data }) => isOver(type) && data['incarnation'] === incarnation);
        // It may overtake the node's word that it is ready: decided upon while it is joining, it is refused, and kept.
        const refused = node.word?.report === id;
        // A word that could not be worked off at once is read again later, perhaps after the word that followed it.
        const isFollowed = node.word !== undefined && node.word.report !== id && node.word.at >= askedAt;
        return overtaken || refused || isFollowed || history.some(({ type, by }) => type === 'node.departing' && by === id);
      }),
  },
  {
    name: 'node.released',
    says: 'a leaving node that said its clients are told is not waited for any more',
    against: (evidence) =>
      lostOf('node.released', evidence, ({ incarnation, mapVersion = 0 }, node) => {
        if (node.status !== 'leaving' || node.incarnation !== incarnation) return true;
        const { orderVersion, releasedVersion = -1 } = node.leaving;
        // A word about orders from before it left is one that nobody waits for.
        return orderVersion === undefined || mapVersion < orderVersion || releasedVersion >= mapVersion;
      }),
  },
];

type Took = (report: Taken, node: Node, history: History, id: string) => boolean;

/** The reports of a type that were taken and have neither had their effect nor wait for it nor been put aside. */
function lostOf(type: Taken['type'], { ack, stored, history }: Evidence, took: Took): string[] {
  const waiting = new Set(stored.waiting.map((one) => one.id));
  return [...ack.taken].flatMap(([id, report]) => {
    if (report.type !== type || stored.dead.has(id) || waiting.has(id)) return [];
    const node = stored.nodes.get(report.node);
    const told = history.get(`node/${report.node}`) ?? [];
    if (node && took(report, node, told, id)) return [];
    return [`${id} of ${report.node} in incarnation ${report.incarnation} was taken; the node is ${node?.status} in ${node?.incarnation}`];
  });
}

const isOver = (type: string): boolean => type === 'node.lost' || type === 'node.dropped';

function isReady({ incarnation }: Taken, node: Node, history: History): boolean {
  // A later boot says so again, in words of its own.
  if (node.incarnation > incarnation) return true;
  return !node.unready && history.some(({ type, data }) => isActive(type) && data['generation'] === node.generation);
}

/**
 * A node that fell silent before its word was read is up once it is heard again, without another event of being ready.
 */
const isActive = (type: string): boolean => type === 'node.activated' || type === 'node.suspected';

/** The name of the node with this id, as it joined. */
export const nameOf = ({ ack, stored }: Evidence, id: string): string | undefined =>
  ack.joined.get(id as NodeId) ?? stored.nodes.get(id as NodeId)?.fqdn;

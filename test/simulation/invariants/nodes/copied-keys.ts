import type { Report } from '../../../../events/catalogue.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { type NodeStep, nodeSteps, skewMs } from '../rows.ts';
import { isListenedTo } from '../vouched.ts';

/**
 * How often one boot that was succeeded may say in vain that it runs: a row may have moved on beneath what was decided.
 */
const inVainMax = 3;
/** How long what a boot has said may still come in once the next one has spoken, in ms, as it is stated. */
const underWayMs = 5_000;

type Up = Extract<Report, { type: 'node.up' }>;

/**
 * Of each node: the boots that were acknowledged one after another, and how often one that was succeeded has spoken in
 * vain since.
 */
type Past = { readonly boots: string[]; node: Node; inVain: number };

/**
 * Whoever has copied a machine's folder is that machine to all who look at its key. A machine never boots under an id
 * again, so that two boots which come in turns are two machines that live.
 */
export const copiedKeys: Invariant = {
  name: 'a-copied-key-is-found-out',
  says: 'of two machines that run with one key neither is acknowledged a second time in turn with the other: the node is quarantined by then; and one that speaks again, after the other was heard last, is not passed over again and again',
  begin: ({ kernel, violated }) => {
    const pasts = new Map<string, Past>();
    const ups = new Map<string, Up>();
    /** The highest number of a node-up that was decided on, of each node and sender that vouches for it. */
    const decided = new Map<string, number>();
    /** Whether a sender has said it before, or said a later word since: a machine that still runs has a new number. */
    const isSaidAgain = ({ node, vouched, seq = 0 }: Up, because: unknown): boolean => {
      if (!vouched) return false;
      const about = `${node} ${vouched.by}`;
      const last = decided.get(about) ?? -1;
      if (isListenedTo(because)) decided.set(about, Math.max(seq, last));
      return seq <= last;
    };
    const follow = ({ id, before, after, row }: NodeStep): void => {
      if (!after) return void pasts.delete(id);
      const past = pasts.get(id) ?? { boots: [], node: after, inVain: 0 };
      pasts.set(id, past);
      past.node = after;
      past.inVain = 0;
      // It was given up, and joins as new; or an operator has looked: of those that took turns one is left. Or another
      // is to speak of its life from now on.
      if (
        after.status === 'dropped' ||
        after.boot === undefined ||
        (before?.boot?.before !== undefined && after.boot?.before === undefined)
      )
        past.boots.length = 0;
      const boot = after.boot?.id;
      if (boot === undefined || boot === past.boots.at(-1)) return;
      past.boots.push(boot);
      const [a, b, c, d] = past.boots.slice(-4);
      if (d !== undefined && a === c && b === d) violated(`${id}: boots ${a} and ${b} were acknowledged in turns, last by ${row.by}`);
    };
    const passedOver = (up: Up): void => {
      const past = pasts.get(up.node);
      if (!past || !isToBeHeard(up, past.node, kernel.now)) return;
      past.inVain += 1;
      if (past.inVain > inVainMax)
        violated(`${up.node}: boot ${up.data.boot.id}, which ${past.node.boot!.id} followed, has spoken ${past.inVain} times in vain`);
    };
    return {
      sent: ({ body, via }) => {
        const report = via === 'door' ? (JSON.parse(body) as Partial<Report>) : undefined;
        if (report?.type === 'node.up' && report.id) ups.set(report.id, report as Up);
      },
      committed: (changes) => {
        for (const step of nodeSteps(changes)) follow(step);
      },
      logged: (_by, code, { id, type, row, does, because }) => {
        if (code !== 'report.applied' || type !== 'node.up') return;
        const up = ups.get(String(id));
        if (up && row === `node ${up.node}` && !isSaidAgain(up, because) && does === 'nothing') passedOver(up);
      },
    };
  },
};

/**
 * Whether a boot that was succeeded speaks after all others, and has come in time, of a node that nobody knows to be
 * two machines.
 */
function isToBeHeard({ receivedAt, intervalMs, data }: Up, node: Node, now: number): boolean {
  const { boot, heardAt = 0, removedAt, replacedBy } = node;
  if (boot?.before !== data.boot.id || removedAt !== undefined || replacedBy !== undefined) return false;
  if (receivedAt <= boot.receivedAt + underWayMs + skewMs || receivedAt < heardAt + skewMs || now > receivedAt + intervalMs) return false;
  return node.status === 'joining' || node.status === 'up' || node.status === 'suspect' || node.status === 'leaving';
}

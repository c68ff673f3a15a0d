import type { NodeHeartbeat } from '../../events/reported/node.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import { heardBy, leaseUntilOf } from '../core/lease.ts';
import type { EpochMs } from '../core/time.ts';
import { concluded, isDriven, lasting, markOf, type Node, type NodeIn, resumed } from './node.ts';
import { quarantineEnds } from './rows/flap.ts';
import { missedSince } from './rows/miss.ts';

/**
 * A sign of life. It renews the lease from the moment the door received it; `wakeAt` stays where it is, a lower bound.
 */
export function onHeartbeat(node: Node, beat: NodeHeartbeat, now: EpochMs): Decision<Node> {
  if (beat.seq !== undefined && beat.seq <= node.seq) return nothing(`heartbeat ${beat.seq} after heartbeat ${node.seq}`);
  if (leaseUntilOf(beat) <= now) return nothing('the heartbeat is older than the lease it would renew');
  switch (node.status) {
    case 'absent':
    case 'waiting':
    case 'down':
    case 'dropped':
      return nothing(`a node that is ${node.status} must send node-up`);
    case 'suspect':
      return recover(node, beat);
    default: {
      const { missed: _before, ...rest } = node;
      const next: Node = { ...rest, ...heard(node, beat), ...missedSince(node, beat.receivedAt) };
      return write<Node, never>(next, `lease renewed${still(node)}`, { wakeAt: next.leaseUntil });
    }
  }
}

/**
 * Whether a heartbeat is one that the node, as it is once that was decided on, had said before. What a queue hands out
 * again was received when it was first; a call that somebody captured and makes again is received anew, and known by
 * its number alone.
 */
export const isMadeAgain = ({ seq, heardAt }: Node, beat: NodeHeartbeat): boolean =>
  beat.seq !== undefined && beat.seq <= seq && heardAt !== undefined && beat.receivedAt > heardAt;

/** Heard in time: the suspicion ends, and the node is again what it was. */
function recover(node: NodeIn<'suspect'>, beat: NodeHeartbeat): Decision<Node> {
  const next = resumed(node, { ...lasting(node), ...heard(node, beat) });
  return write(next, 'heard again before it was given up', {
    events: [concluded('node.recovered', next, { from: 'suspect' })],
    wakeAt: beat.receivedAt,
  });
}

/** What a heartbeat does not change, so that whoever asks why finds it still. */
const still = (node: Node): string =>
  node.status === 'quarantined'
    ? `; quarantined (${node.reason}) until ${quarantineEnds(node)}`
    : node.status === 'leaving'
      ? `; leaving (${node.leaving.mode})`
      : '';

const heard = (node: Node, beat: NodeHeartbeat) => ({
  ...heardBy(node, beat),
  seq: beat.seq ?? node.seq,
  load: beat.data.load,
  ...tableSaid(node, beat.data.tableHash),
});

/** What a heartbeat says of what Muster has run there: that it is as on record, or which other hash it has. */
function tableSaid(node: Node, hash: string | undefined): { readonly table?: NonNullable<Node['table']> } {
  if (!isDriven(node) || hash === undefined) return {};
  const { now: _before, ...known } = node.table ?? {};
  return { table: markOf(hash) === known.hash ? known : { ...known, now: markOf(hash) } };
}

/**
 * Whether a node should say what runs there: it has said twice in a row that this is other than Muster has it, or its
 * processes were loaded since it last said so. `load` is that of its cluster.
 */
export const isOutOfSync = (node: Node, hash: string | undefined, load: string | undefined): boolean => {
  if (!isDriven(node) || hash === undefined) return false;
  const { table } = node;
  if (table?.hash !== markOf(hash)) return table?.now === markOf(hash);
  return table.load !== (load && markOf(load));
};

import type { NodeHeartbeat } from '../../events/reported/node.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import { heardBy, leaseUntilOf } from '../core/lease.ts';
import type { EpochMs } from '../core/time.ts';
import { concluded, isDriven, lasting, markOf, type Node, type NodeIn, resumed } from './node.ts';
import { quarantineEnds } from './rows/flap.ts';
import { type Loads, roomBeside, withPoint } from './rows/loads.ts';
import { missedSince } from './rows/miss.ts';

/**
 * A sign of life. It renews the lease from the moment the endpoint received it; `wakeAt` stays where it is, as a lower
 * bound.
 */
export function onHeartbeat(node: Node, heartbeat: NodeHeartbeat, now: EpochMs): Decision<Node> {
  if (heartbeat.seq !== undefined && heartbeat.seq <= node.seq) return nothing(`heartbeat ${heartbeat.seq} after heartbeat ${node.seq}`);
  if (leaseUntilOf(heartbeat) <= now) return nothing('the heartbeat is older than the lease it would renew');
  switch (node.status) {
    case 'absent':
    case 'waiting':
    case 'down':
    case 'dropped':
      return nothing(`a node that is ${node.status} must send node-up`);
    case 'suspect':
      return recover(node, heartbeat);
    default: {
      const { missed: _before, ...rest } = node;
      const { loads: _until, ...others } = rest;
      const because = `${named(heartbeat)} renewed its lease${still(node)}`;
      const next: Node = { ...others, ...heard(node, heartbeat, because), ...missedSince(node, heartbeat.receivedAt) };
      return write<Node, never>(next, because, { wakeAt: next.leaseUntil });
    }
  }
}

/**
 * Whether a heartbeat repeats one that was already decided on, given the node after that decision. A redelivery by a
 * queue has its first moment of receipt; a captured call that is replayed is received anew, and only its number reveals
 * it.
 */
export const isMadeAgain = ({ seq, heardAt }: Node, heartbeat: NodeHeartbeat): boolean =>
  heartbeat.seq !== undefined && heartbeat.seq <= seq && heardAt !== undefined && heartbeat.receivedAt > heardAt;

/** Heard in time: the suspicion ends, and the node returns to its former status. */
function recover(node: NodeIn<'suspect'>, heartbeat: NodeHeartbeat): Decision<Node> {
  const because = 'heard again before it was given up';
  const { loads: _until, ...rest } = lasting(node);
  const next = resumed(node, { ...rest, ...heard(node, heartbeat, because) });
  return write(next, because, {
    events: [concluded('node.recovered', next, { from: 'suspect' })],
    wakeAt: heartbeat.receivedAt,
  });
}

const named = ({ seq }: NodeHeartbeat): string => (seq === undefined ? 'a heartbeat' : `heartbeat ${seq}`);

/** The part of the reason that a heartbeat does not change, so that `because` still has it. */
const still = (node: Node): string =>
  node.status === 'quarantined'
    ? `; quarantined (${node.reason}) until ${quarantineEnds(node)}`
    : node.status === 'leaving'
      ? `; leaving (${node.leaving.mode})`
      : '';

const heard = (node: Node, heartbeat: NodeHeartbeat, because: string) => ({
  ...heardBy(node, heartbeat),
  seq: heartbeat.seq ?? node.seq,
  load: heartbeat.data.load,
  ...loadsUntil(node, heartbeat, because),
  ...reportedTable(node, heartbeat.data.tableHash),
});

/** The loads of the last hour with that of a heartbeat, as far as the row has room. */
function loadsUntil({ loads, ...rest }: Node, { receivedAt, data }: NodeHeartbeat, because: string): { readonly loads?: Loads } {
  const next = withPoint(loads, { at: receivedAt, load: data.load.load1 }, () => roomBeside(rest, because, rest.zone));
  return next ? { loads: next } : {};
}

/** What a heartbeat reports of the programs that Muster runs there: the hash on record, or another one. */
function reportedTable(node: Node, hash: string | undefined): { readonly table?: NonNullable<Node['table']> } {
  if (!isDriven(node) || hash === undefined) return {};
  const { now: _before, ...known } = node.table ?? {};
  return { table: markOf(hash) === known.hash ? known : { ...known, now: markOf(hash) } };
}

/**
 * Whether a node should report what runs there: its last two heartbeats differed from Muster's record, or its processes
 * were loaded since its last report. `load` is the load of its cluster.
 */
export const isOutOfSync = (node: Node, hash: string | undefined, load: string | undefined): boolean => {
  if (!isDriven(node) || hash === undefined) return false;
  const { table } = node;
  if (table?.hash !== markOf(hash)) return table?.now === markOf(hash);
  return table.load !== (load && markOf(load));
};

import type * as z from 'zod';
import { HostFacts, type NodeUp } from '../../../events/reported/node.ts';
import { type Decision, isSame, nothing, write } from '../../core/decision.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/** The facts of the machine under a node, as its agent last reported them, and when. */
export const Host = HostFacts.extend({ at: EpochMs });
export type Host = z.infer<typeof Host>;

/**
 * Every node-up carries facts, and the newest are on record. Their moment is written even if they are unchanged:
 * without it, an older node-up that is decided on later would put other facts in their place. Node-ups of a system that
 * vouches are numbered, and an older one never gets here.
 */
export function decideHost(host: Host | undefined, up: NodeUp): Decision<Host> {
  if (host && up.receivedAt <= host.at) return nothing('facts received before those on record');
  const next: Host = { ...up.data.facts, at: up.receivedAt };
  if (!host) return write<Host, never>(next, 'first facts of this host');
  if (!isSame({ ...host, at: next.at }, next)) return write<Host, never>(next, 'the host has changed');
  return up.vouched ? nothing('the host is as it was') : write<Host, never>(next, 'the host is as it was');
}

/** The facts of the host of a node, by the node's id. */
export const hostRef = refOf('host', Host);

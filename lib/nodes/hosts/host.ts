import type * as z from 'zod';
import { HostFacts, type NodeUp } from '../../../events/reported/node.ts';
import { type Decision, isSame, nothing, write } from '../../core/decision.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/** What the machine under a node is made of, as its agent last said, and when. */
export const Host = HostFacts.extend({ at: EpochMs });
export type Host = z.infer<typeof Host>;

/** Facts travel in every node-up; only changed ones are written. */
export function decideHost(host: Host | undefined, up: NodeUp): Decision<Host> {
  if (host && up.receivedAt <= host.at) return nothing('facts received before those on record');
  const { at: _at, ...known } = host ?? { at: undefined };
  if (host && isSame(known, up.data.facts)) return nothing('the facts have not changed');
  return write<Host, never>({ ...up.data.facts, at: up.receivedAt }, host ? 'the host has changed' : 'first facts of this host');
}

/** The facts of the host of a node, by the node's id. */
export const hostRef = refOf('host', Host);

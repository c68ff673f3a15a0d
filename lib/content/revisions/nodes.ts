import type { Fqdn, NodeId } from '../../core/ids.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { applyMs, type ContentDone, type DesiredContent } from '../../nodes/desired/desired.ts';
import type { Node } from '../../nodes/node.ts';
import { hasOwnChanges, type Seat } from '../seat/seat.ts';
import type { Progress } from './decide.ts';
import type { Revision } from './revision.ts';

/**
 * How a server is with a revision: it has it, could not take it, is at it, is to get its order, keeps changes of its
 * own that the others do not have, or is not up. `revision`: the last one that it has, or is to have.
 */
export type ServerContent = {
  readonly node: NodeId;
  readonly fqdn: Fqdn;
  readonly is: 'reached' | 'failed' | 'open' | 'due' | 'edited' | 'away';
  readonly revision?: number;
  /** The order by which it is to have that. */
  readonly order?: string;
  readonly at?: EpochMs;
  readonly done?: ContentDone;
  /** Why it failed, in words. */
  readonly why?: string;
};

/** How a node is with the revision; undefined for one that is no Uyuni server, or was given up. */
export function serverContent(
  node: Node,
  content: DesiredContent | undefined,
  { revision, seat }: Pick<Revision, 'revision'> & { readonly seat: Seat | undefined },
  now: EpochMs,
): ServerContent | undefined {
  const { id, fqdn, kind, status, generation } = node;
  if (kind !== 'uyuni' || status === 'dropped') return undefined;
  const isUp = status === 'up';
  const told = content?.generation === generation ? content : undefined;
  const about = { node: id, fqdn, ...(told && { revision: told.revision, order: told.order, at: told.done?.at ?? told.at }) };
  if (told?.revision !== revision) {
    if (!isUp) return { ...about, is: 'away' };
    return { ...about, is: hasOwnChanges(seat, { node: id, generation }) ? 'edited' : 'due' };
  }
  const { done } = told;
  if (done?.is === 'applied') return { ...about, is: 'reached', done };
  if (done) return { ...about, is: 'failed', done, why: done.why[0] ?? 'it does not say why' };
  if (!isUp) return { ...about, is: 'away' };
  return now >= plusMs(told.at, applyMs) ? { ...about, is: 'failed', why: 'its agent has not answered' } : { ...about, is: 'open' };
}

/** How far the servers of a zone are. */
export function progressOf(servers: readonly ServerContent[]): Progress {
  const being = (is: ServerContent['is']): readonly ServerContent[] => servers.filter((one) => one.is === is);
  return {
    reached: being('reached').length,
    failed: being('failed').map(({ fqdn, why = '' }) => ({ fqdn, why })),
    open: being('open').length,
    away: being('away').length + being('edited').length,
    due: being('due')
      .map(({ node }) => node)
      .sort(),
  };
}

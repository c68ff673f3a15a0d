import type { Fqdn, NodeId } from '../../core/ids.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import type { ContentDone, DesiredContent } from '../../nodes/desired/desired.ts';
import type { Node } from '../../nodes/node.ts';
import type { Progress } from './decide.ts';
import { applyMs, type Revision } from './revision.ts';

/**
 * How a server is with a revision: it has it, could not take it, is at it, is to get its order, or is not up.
 * `revision`: the last one that it has, or is to have.
 */
export type ServerContent = {
  readonly node: NodeId;
  readonly fqdn: Fqdn;
  readonly is: 'reached' | 'failed' | 'open' | 'due' | 'away';
  readonly revision?: number;
  readonly at?: EpochMs;
  readonly done?: ContentDone;
  /** Why it failed, in words. */
  readonly why?: string;
};

/** How a node is with the revision; undefined for one that is no Uyuni server, or was given up. */
export function serverContent(
  node: Node,
  content: DesiredContent | undefined,
  { revision }: Pick<Revision, 'revision'>,
  now: EpochMs,
): ServerContent | undefined {
  const { id, fqdn, kind, status, generation } = node;
  if (kind !== 'uyuni' || status === 'dropped') return undefined;
  const isUp = status === 'up';
  const told = content?.does === 'apply' && content.generation === generation ? content : undefined;
  const about = { node: id, fqdn, ...(told && { revision: told.revision, at: told.done?.at ?? told.at }) };
  if (told?.revision !== revision) return { ...about, is: isUp ? 'due' : 'away' };
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
    away: being('away').length,
    due: being('due')
      .map(({ node }) => node)
      .sort(),
  };
}

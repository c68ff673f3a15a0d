import type { Voucher } from '../../events/define.ts';
import type { NodeReport, NodeUp } from '../../events/reported/node.ts';
import { type Decision, write } from '../core/decision.ts';
import { markOfCaller } from '../identity/fingerprint.ts';
import { concluded, type Node } from './node.ts';

/** The reports that show a node alive; their sender decides whether it is up. */
const ofLife: ReadonlySet<string> = new Set(['node.up', 'node.ready', 'node.heartbeat']);

/** Whether a report shows a node alive. */
export const speaksOfLife = <R extends { readonly type: string }>(
  report: R,
): report is Extract<R, { readonly type: 'node.up' | 'node.ready' | 'node.heartbeat' }> => ofLife.has(report.type);

/**
 * Why a report may not speak for the node's liveness; undefined when it may. A node has one source of liveness: its
 * agent or, by an administrator's order, the system that vouches for it, within its own zone only. Two alternating
 * sources would look like two machines with one key.
 */
export function whyNotItsVoice(
  node: Pick<Node, 'vouched' | 'zone'>,
  { type, vouched }: { readonly type: string; readonly vouched?: Voucher | undefined },
): string | undefined {
  if (!vouched)
    return node.vouched && speaksOfLife({ type }) ? 'another system vouches for it: reports of its agent are not signs of life' : undefined;
  if (vouched.zone !== node.zone) return `${vouched.by} may vouch only for nodes of zone ${vouched.zone}`;
  return node.vouched ? undefined : `no administrator lets another system vouch for it: reports of ${vouched.by} are not signs of life`;
}

/** The highest number of a node-up of this sender that was decided on; undefined where there was none. */
export const lastUpBy = ({ voice }: Pick<Node, 'voice'>, by: string): number | undefined =>
  voice?.ups.find(({ of }) => of === markOfCaller(by))?.seq;

/** Whether a node-up was received before an administrator last changed the source of the node's liveness. */
export const isBeforeVoice = ({ voice }: Pick<Node, 'voice'>, { receivedAt }: Pick<NodeUp, 'receivedAt'>): boolean =>
  voice?.since !== undefined && receivedAt < voice.since;

/** The counts of the systems that vouch for a node, once a node-up of a sender was decided on. */
function counted({ voice }: Node, { by }: Voucher, seq: number): NonNullable<Node['voice']> {
  const of = markOfCaller(by);
  const others = voice?.ups.filter((one) => one.of !== of) ?? [];
  return { ...voice, ups: [{ of, seq }, ...others].slice(0, 2) };
}

/**
 * Whether a node-up was decided on before, or is older than one that was, by its sender's count. `isQuorate`: it waited
 * for a majority since it was recorded, and is decided on once more.
 */
export function isOldUp(node: Pick<Node, 'voice'>, { vouched, seq = 0 }: Pick<NodeUp, 'vouched' | 'seq'>, isQuorate = false): boolean {
  const last = vouched && lastUpBy(node, vouched.by);
  return last !== undefined && (isQuorate ? seq < last : seq <= last);
}

/**
 * The decision on a report, with the vouching system in its reason. Once an administrator lets a system vouch, each of
 * its node-ups with a higher number is recorded, whatever it does: sent again, it must not take effect later if it did
 * not when it was sent. If it is of the node's present boot, an event announces the incarnation, because no answer can.
 */
export function vouchedDecision(node: Node, report: NodeReport, decision: Decision<Node>, isQuorate?: boolean): Decision<Node> {
  const { vouched, seq = 0 } = report;
  if (!vouched || decision.does === 'remove') return decision;
  const because = `${decision.because}; ${vouched.by} vouches for it`;
  if (report.type !== 'node.up') return decision.does === 'write' ? { ...decision, because } : decision;
  if (isBeforeVoice(node, report) || isOldUp(node, report, isQuorate)) return decision;
  const voice = counted(node, vouched, seq);
  if (decision.does === 'nothing') return write<Node, never>({ ...node, voice }, because, { aside: true });
  const next: Node = { ...decision.next, voice };
  if (next.status === 'dropped' || next.boot?.id !== report.data.boot.id) return { ...decision, next, because };
  return { ...decision, next, because, events: [...decision.events, concluded('node.acknowledged', next, { boot: next.boot.id })] };
}

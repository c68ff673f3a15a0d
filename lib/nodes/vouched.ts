import type { Voucher } from '../../events/define.ts';
import type { NodeReport, NodeUp } from '../../events/reported/node.ts';
import { type Decision, write } from '../core/decision.ts';
import { markOfCaller } from '../identity/fingerprint.ts';
import { concluded, type Node } from './node.ts';

/** The reports by which a node lives: whoever may say these decides whether it is up. */
const ofLife: ReadonlySet<string> = new Set(['node.up', 'node.ready', 'node.heartbeat']);

/** Whether a node lives by a report. */
export const speaksOfLife = <R extends { readonly type: string }>(
  report: R,
): report is Extract<R, { readonly type: 'node.up' | 'node.ready' | 'node.heartbeat' }> => ofLife.has(report.type);

/**
 * Why a report may not speak of the node's life; undefined where it may. A node has one voice: its agent's, or once
 * an administrator has said so that of the system that vouches for it, in its own zone alone. Two that took turns
 * would look like two machines with one key.
 */
export function whyNotItsVoice(
  node: Pick<Node, 'vouched' | 'zone'>,
  { type, vouched }: { readonly type: string; readonly vouched?: Voucher | undefined },
): string | undefined {
  if (!vouched)
    return node.vouched && speaksOfLife({ type }) ? 'another system vouches for it: its agent does not speak of its life' : undefined;
  if (vouched.zone !== node.zone) return `${vouched.by} vouches for nodes of zone ${vouched.zone} alone`;
  return node.vouched
    ? undefined
    : `no administrator has said that another system may vouch for it: ${vouched.by} does not speak of its life`;
}

/** The highest number of a node-up of this sender that was decided on; undefined where there was none. */
export const lastUpBy = ({ voice }: Pick<Node, 'voice'>, by: string): number | undefined =>
  voice?.ups.find(({ of }) => of === markOfCaller(by))?.seq;

/** Whether a node-up was received before an administrator last said who speaks of the node's life. */
export const isBeforeVoice = ({ voice }: Pick<Node, 'voice'>, { receivedAt }: Pick<NodeUp, 'receivedAt'>): boolean =>
  voice?.since !== undefined && receivedAt < voice.since;

/** What is known of who speaks for a node, once a node-up of a sender was decided on. */
function counted({ voice }: Node, { by }: Voucher, seq: number): NonNullable<Node['voice']> {
  const of = markOfCaller(by);
  const others = voice?.ups.filter((one) => one.of !== of) ?? [];
  return { ...voice, ups: [{ of, seq }, ...others].slice(0, 2) };
}

/**
 * Whether a node-up is one that was decided on before, or older than one that was, in the count of whoever sends it.
 * `isQuorate`: it has waited for that since it was written down, and is decided on once more.
 */
export function isOldUp(node: Pick<Node, 'voice'>, { vouched, seq = 0 }: Pick<NodeUp, 'vouched' | 'seq'>, isQuorate = false): boolean {
  const last = vouched && lastUpBy(node, vouched.by);
  return last !== undefined && (isQuorate ? seq < last : seq <= last);
}

/**
 * The decision on a report, with who vouched in its reason. A node-up with a higher number is written down, whatever it
 * does, since an administrator has said who speaks: sent again, it must not do later what it did not do when it was
 * sent. Where it is of the boot that the node is in, an event tells the incarnation, since there is no answer to tell
 * it.
 */
export function saidByVoucher(node: Node, report: NodeReport, decision: Decision<Node>, isQuorate?: boolean): Decision<Node> {
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

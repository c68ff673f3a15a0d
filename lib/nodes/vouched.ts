import type { Voucher } from '../../events/define.ts';
import type { NodeReport } from '../../events/reported/node.ts';
import type { Decision } from '../decision.ts';
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
  return node.vouched ? undefined : `no administrator has said that ${vouched.by} may vouch for it`;
}

/**
 * The decision on a report, with who vouched in its reason; of a new boot an event tells the incarnation, since there
 * is no answer to tell it.
 */
export function saidByVoucher(node: Node, report: NodeReport, decision: Decision<Node>): Decision<Node> {
  const { vouched } = report;
  if (!vouched || decision.does !== 'write') return decision;
  const because = `${decision.because}; ${vouched.by} vouches for it`;
  if (report.type !== 'node.up' || decision.next.incarnation === node.incarnation) return { ...decision, because };
  const acknowledged = concluded('node.acknowledged', decision.next, { boot: report.data.boot.id });
  return { ...decision, because, events: [...decision.events, acknowledged] };
}

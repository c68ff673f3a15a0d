import { type Report, takenFrom } from '../../events/catalogue.ts';
import type { Voucher } from '../../events/define.ts';
import type { VouchedReport } from '../../events/reported/vouched.ts';
import type { AdminCall, AdminCaller } from '../access/verify-admin.ts';
import { seesZone } from '../access/zones-of-caller.ts';
import { Refusal } from '../api/problem.ts';
import type { NodeId } from '../core/ids.ts';
import { intervalNow } from '../deployment/reads.ts';
import { type Node, nodeRef } from '../nodes/node.ts';
import type { IngestReport } from '../nodes/report-routes.ts';
import { refuseStranger } from '../nodes/verify-life.ts';
import { mustRejoin } from '../nodes/verify-member.ts';
import { refuseRemoved } from '../nodes/verify-node.ts';
import { lastUpBy, speaksOfLife, whyNotItsVoice } from '../nodes/vouched.ts';
import { stateOf } from '../runtime/content.ts';
import type { Answer } from '../runtime/on-route.ts';
import { readRows } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';
import { carriedBy } from './carried-by.ts';

/**
 * Takes reports of automation, as the ingest bus does: each report goes to its queue, with the time at which it was
 * taken. It takes all of them or none, so that a refused caller can correct the fault and send the same again.
 */
export async function takeReports({ body, caller }: AdminCall<'takeReports'>, shell: Shell): Promise<Answer> {
  const intervalMs = await intervalNow(shell);
  const stamps = { receivedAt: shell.now(), intervalMs };
  const reports = await checked(body, caller, shell);
  await Promise.all(reports.map((report) => shell.queue.send(carriedBy(report), JSON.stringify({ ...report, ...stamps } as Report))));
  return { status: 202, body: { accepted: reports.length, nextMs: intervalMs } };
}

/** A report as it was sent, with the caller who reported it. */
type Put = IngestReport & Pick<Report, 'vouched' | 'by'>;

/**
 * The reports, each with the caller who reported it or vouches for its node. Throws a {@link Refusal} for a node that
 * the caller does not see, or for which the caller may not vouch.
 */
async function checked(reports: readonly IngestReport[], caller: AdminCaller, shell: Shell): Promise<readonly Put[]> {
  const ids = [...new Set(reports.map(({ node }) => node))];
  const rows = await readRows(
    shell,
    ids.map((id) => nodeRef(id)),
  );
  const nodes = new Map<NodeId, Node | undefined>(ids.map((id, i) => [id, stateOf(rows[i], shell.now())]));
  return reports.map((report, i) => {
    const node = nodes.get(report.node);
    const at = (detail: string) => ({ errors: [{ pointer: `/${i}/node`, detail }] });
    if (!node || !seesZone(caller, node.zone)) throw new Refusal('unknown-node', `no node is called ${report.node}`, at('no such node'));
    const by = caller.actor?.who ?? caller.name;
    if (!speaksOfLife(report)) return takenFrom(by, report);
    const vouched = { by, zone: node.zone };
    const why = whyNotItsVoice(node, { ...report, vouched });
    if (why !== undefined)
      throw new Refusal(
        'refused',
        `${node.fqdn}: ${why}. An administrator allows it with muster node set ${node.fqdn} --vouched on`,
        at(why),
      );
    const voiced = { ...report, vouched };
    refuseUnheard(node, voiced, i);
    return voiced;
  });
}

/**
 * Throws a {@link Refusal} for a report of a node's life that would do nothing, with the answer that the node's agent
 * would get: the caller has no other answer. A report that was taken before is taken again.
 */
function refuseUnheard(node: Node, report: VouchedReport & { readonly vouched: Voucher }, i: number): void {
  const last = lastUpBy(node, report.vouched.by);
  if (report.type === 'node.up' && last !== undefined && report.seq < last)
    throw new Refusal(
      'refused',
      `${node.fqdn}: node-up ${report.seq} came after node-up ${last}: each needs a higher number than those before`,
      {
        errors: [{ pointer: `/${i}/seq`, detail: `not higher than ${last}` }],
      },
    );
  try {
    refuseRemoved(node);
    if (report.type !== 'node.up') refuseStranger(node, report.incarnation);
    else if (node.status === 'dropped' && report.data.flushed !== node.generation) throw mustRejoin(node);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { type, message, headers } = error;
    throw new Refusal(type, `${node.fqdn}: ${message}`, { errors: [{ pointer: `/${i}`, detail: type }], headers });
  }
}

import { nothing } from '../../../core/decision.ts';
import { type NodeId, ZoneName } from '../../../core/ids.ts';
import { plusMs } from '../../../core/time.ts';
import { desiredRef } from '../../../nodes/desired/desired.ts';
import { decideContent, decideContentDone, decideExport } from '../../../nodes/desired/rows/order.ts';
import { nodeRef } from '../../../nodes/node.ts';
import { apply } from '../../../runtime/apply.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import { changeOfRow, stateOf } from '../../../runtime/content.ts';
import { read, readRow } from '../../../runtime/read.ts';
import { restUntil } from '../../../runtime/rest.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { seatNodeOf } from '../../seat/fit.ts';
import { hasOwnChanges, seatRef } from '../../seat/seat.ts';
import { planExportFailed } from '../changes.ts';
import { decideSpread } from '../decide.ts';
import { progressOf, type ServerContent } from '../nodes.ts';
import { serversOf } from '../reads/servers.ts';
import { contentRef, type Exporting, lookMs, revisionOf, type ZoneContent } from '../revision.ts';

/** Goes on with the content of a zone: what is to be read is ordered, and a revision spreads, wave after wave. */
export async function tickContent(shell: Shell, name: string): Promise<void> {
  const ref = contentRef(name);
  const row = await readRow(shell, ref);
  const content = stateOf(row, shell.now());
  if (!content) return;
  if (content.exporting) return tickExport(shell, content, content.exporting, row?.rev ?? 0);
  const revision = revisionOf(content);
  const servers = revision ? await serversOf(shell, name, revision) : [];
  const { tell, decision } = decideSpread(content, progressOf(servers), shell.now());
  shell.log('info', 'content.decided', { zone: name, does: decision.does, because: decision.because, tells: tell.length });
  for (const node of tell) await order(shell, content, node);
  for (const server of servers) if (server.is === 'failed' && !server.done) await giveUp(shell, server);
  if (decision.does === 'nothing') return restUntil(shell, ref, { ...decision, rev: row?.rev ?? 0 });
  // Decided anew by the content as it is by then: a revision that came meanwhile has its own waves.
  await apply(shell, ref, { type: 'tick', id: `content-${shell.newId()}` }, (now) =>
    now && revisionOf(now)?.revision === revision?.revision
      ? decideSpread(now, progressOf(servers), shell.now()).decision
      : nothing('another revision came', shell.now()),
  );
}

/** Records that an agent has not answered: it has the order no more. */
async function giveUp(shell: Shell, { node, order: name, why = '' }: ServerContent): Promise<void> {
  if (name === undefined) return;
  await apply(shell, desiredRef(node), { id: `content-${shell.newId()}` }, (desired, _input, at) =>
    decideContentDone(desired, name, { is: 'failed', at, why: [why] }),
  );
}

/** Has the agent of a node have the last revision, unless somebody has begun to edit on it. */
async function order(shell: Shell, { zone, revisions }: ZoneContent, id: NodeId): Promise<void> {
  const [node, revision] = [await read(shell, nodeRef(id)), revisions.at(-1)];
  if (!node || !revision) return;
  const { generation } = node;
  const { manifest, removes } = revision;
  const content = { revision: revision.revision, manifest, generation, ...(removes && { removes }) };
  await applyPlan(shell, { id: `content-${shell.newId()}` }, async (reading) => {
    const [seat, row] = await reading.rows([seatRef(zone), desiredRef(id)]);
    const now = shell.now();
    const name = `r${revision.revision}-${generation}-${now.toString(36)}`;
    const decision = hasOwnChanges(stateOf(seat, now), { node: id, generation })
      ? nothing('it has changes of its own')
      : decideContent(stateOf(row, now), { ...content, order: name, at: now });
    const changes = [
      { ref: seatRef(zone), readRev: seat?.rev ?? 0, decision: nothing('nobody edits there') },
      changeOfRow(desiredRef(id), row, decision),
    ];
    return { changes: decision.does === 'write' ? changes : [], because: [decision.because] };
  });
}

/** Has the agent read the content of its server, once nobody can edit it, for as long as that may take. */
async function tickExport(shell: Shell, content: ZoneContent, exporting: Exporting, rev: number): Promise<void> {
  const ref = contentRef(content.zone);
  const { order: id, from, until, fqdn, generation } = exporting;
  const now = shell.now();
  if (now < from) return restUntil(shell, ref, { because: 'it may still be edited', wakeAt: from, rev });
  const node = await read(shell, nodeRef(exporting.node));
  const is = seatNodeOf(node, generation);
  const why = is.is === 'gone' ? is.because : now >= until ? `the agent of ${fqdn} has not answered` : undefined;
  if (why !== undefined) {
    const zone = ZoneName.parse(content.zone);
    await applyPlan(shell, { id: `content-${shell.newId()}` }, (reading) => planExportFailed(shell, reading, zone, { order: id, why }));
    return;
  }
  await orderExport(shell, content.zone, exporting);
  const next = plusMs(now, lookMs(1));
  return restUntil(shell, ref, { because: 'it is being read', wakeAt: next < until ? next : until, rev });
}

/** Tells the agent to read the content of its server, unless it has done so meanwhile. */
async function orderExport(shell: Shell, zone: ZoneName, { order: name, node }: Exporting): Promise<void> {
  await applyPlan(shell, { id: `content-${shell.newId()}` }, async (reading) => {
    const [row, desired] = await reading.rows([contentRef(zone), desiredRef(node)]);
    const content = stateOf(row, shell.now());
    if (content?.exporting?.order !== name) return { changes: [], because: ['it was read'] };
    // Where a revision was stopped, parts of it may be missing in the store: all of them are stored anew.
    const manifest = content.spreading?.stopped === undefined ? (revisionOf(content)?.manifest ?? []) : [];
    const decision = decideExport(stateOf(desired, shell.now()), { order: name, revision: content.last + 1, manifest });
    const changes = [
      { ref: contentRef(zone), readRev: row?.rev ?? 0, decision: nothing('it is still to be read') },
      changeOfRow(desiredRef(node), desired, decision),
    ];
    return { changes: decision.does === 'write' ? changes : [], because: [decision.because] };
  });
}

import { nothing } from '../../../core/decision.ts';
import { ZoneName } from '../../../core/ids.ts';
import { plusMs } from '../../../core/time.ts';
import { desiredRef } from '../../../nodes/desired/desired.ts';
import { decideContent } from '../../../nodes/desired/rows/order.ts';
import { nodeRef } from '../../../nodes/node.ts';
import { apply } from '../../../runtime/apply.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import { read, readRow } from '../../../runtime/read.ts';
import { restUntil } from '../../../runtime/rest.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { seatNodeOf } from '../../seat/fit.ts';
import { planExportFailed } from '../changes.ts';
import { decideSpread } from '../decide.ts';
import { progressOf } from '../nodes.ts';
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
  if (decision.does === 'nothing') return restUntil(shell, ref, { ...decision, rev: row?.rev ?? 0 });
  // Decided anew by the content as it is by then: a revision that came meanwhile has its own waves.
  await apply(shell, ref, { type: 'tick', id: `content-${shell.newId()}` }, (now) =>
    now && revisionOf(now)?.revision === revision?.revision
      ? decideSpread(now, progressOf(servers), shell.now()).decision
      : nothing('another revision came', shell.now()),
  );
}

/** Tells the agent of a node to have the last revision. */
async function order(shell: Shell, content: ZoneContent, id: Parameters<typeof nodeRef>[0]): Promise<void> {
  const [node, revision] = [await read(shell, nodeRef(id)), revisionOf(content)];
  if (!node || !revision) return;
  const { generation } = node;
  const { manifest, removes } = revision;
  const told = { does: 'apply', revision: revision.revision, manifest, generation, ...(removes && { removes }) } as const;
  await apply(shell, desiredRef(id), { id: `content-${shell.newId()}` }, (desired, _input, now) =>
    decideContent(desired, { ...told, order: `r${revision.revision}-${generation}-${now.toString(36)}`, at: now }),
  );
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
  const manifest = revisionOf(content)?.manifest ?? [];
  await apply(shell, desiredRef(exporting.node), { id: `content-${shell.newId()}` }, (desired) =>
    decideContent(desired, { order: id, does: 'export', revision: content.last + 1, manifest, generation, at: from }),
  );
  const next = plusMs(now, lookMs(1));
  return restUntil(shell, ref, { because: 'it is being read', wakeAt: next < until ? next : until, rev });
}

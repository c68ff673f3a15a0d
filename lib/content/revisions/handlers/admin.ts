import type { AdminCall, AdminCaller } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import type { ZoneName } from '../../../core/ids.ts';
import { desiredRef } from '../../../nodes/desired/desired.ts';
import { decideForgetContent } from '../../../nodes/desired/rows/order.ts';
import { apply } from '../../../runtime/apply.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { readRow } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { Damaged } from '../../../uyuni/content/packed.ts';
import { foundNodeIn, foundZone } from '../../../zones/reads/found.ts';
import { seatRef } from '../../seat/seat.ts';
import { planApply } from '../changes.ts';
import { decideResume, decideRollback } from '../decide.ts';
import { blobsOf } from '../reads/blobs.ts';
import { differencesBetween } from '../reads/differences.ts';
import { serversOf } from '../reads/servers.ts';
import { contentRef, type ZoneContent } from '../revision.ts';
import { contentView } from '../view.ts';

/** How many differences an answer has at the most. */
const differencesMax = 200;

const whoOf = ({ name, actor }: AdminCaller): string => actor?.who ?? name;

/** The revisions of a zone, and how far its servers are. */
export async function getContent({ params, caller }: AdminCall<'getContent'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  return shown(shell, params.zone, 200);
}

async function shown(shell: Shell, zone: ZoneName, status: number): Promise<Answer> {
  const row = await readRow(shell, contentRef(zone));
  const content = stateOf(row, shell.now());
  const servers = await serversOf(shell, zone, { revision: content?.last ?? 0 });
  return { status, body: contentView(zone, content, servers, row?.because ?? 'there is no revision yet') };
}

/** Has the content of a server become the next revision. */
export async function applyContent({ params, body, request, caller }: AdminCall<'applyContent'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const { because, removes, endsOthers } = body;
  const from = body.from === undefined ? undefined : (await foundNodeIn(shell, params.zone, body.from, caller)).id;
  const ordering = { zone: params.zone, order: request.id, by: whoOf(caller), because, ...(removes && { removes }) };
  await applyPlan(shell, request, (reading) => planApply(shell, reading, { ...ordering, from, endsOthers }));
  return shown(shell, params.zone, 202);
}

/** Has the documents of an earlier revision be the next one. */
export async function rollBackContent({ params, body, request, caller }: AdminCall<'rollBackContent'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const { revision, because, removes } = body;
  const seat = stateOf(await readRow(shell, seatRef(params.zone)), shell.now());
  const edited = seat?.seated ?? seat?.ahead?.[0];
  if (edited)
    throw new Refusal(
      'refused',
      `${edited.fqdn} has changes of its own: apply them, or say by content synced that they are not wanted, and end editing`,
    );
  const ordering = { zone: params.zone, by: whoOf(caller), because, ...(removes && { removes }) };
  await decided(shell, params.zone, request, (content) => decideRollback(content, revision, ordering, shell.now()));
  return shown(shell, params.zone, 202);
}

/** Has servers that failed try again. */
export async function resumeContent({ params, request, caller }: AdminCall<'resumeContent'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const content = stateOf(await readRow(shell, contentRef(params.zone)), shell.now());
  const revision = content?.last ?? 0;
  const failed = (await serversOf(shell, params.zone, { revision })).filter(({ is }) => is === 'failed');
  for (const { node } of failed)
    await apply(shell, desiredRef(node), { id: `${request.id}-${node}` }, (desired) => decideForgetContent(desired, revision));
  await decided(shell, params.zone, request, (now) => decideResume(now, failed.length, shell.now()));
  return shown(shell, params.zone, 202);
}

type Deciding = (content: ZoneContent | undefined) => ReturnType<typeof decideRollback>;

async function decided(shell: Shell, zone: ZoneName, request: { readonly id: string }, decide: Deciding): Promise<void> {
  await apply(shell, contentRef(zone), { id: request.id }, (content) => {
    const decision = decide(content);
    if (decision.does === 'refuse') throw new Refusal('refused', decision.because);
    return decision;
  });
}

/** What two revisions do not have alike. */
export async function diffContent({ params, query, caller }: AdminCall<'diffContent'>, shell: Shell): Promise<Answer> {
  const { head } = await foundZone(shell, params.zone, caller);
  const content = stateOf(await readRow(shell, contentRef(head.name)), shell.now());
  const manifestOf = (number: number): readonly string[] => {
    const found = content?.revisions.find(({ revision }) => revision === number);
    if (!found) throw new Refusal('not-found', `revision ${number} of zone ${head.name} is not remembered`);
    return found.manifest;
  };
  const [from, to] = [manifestOf(query.from), manifestOf(query.to)];
  const differences = await differencesBetween(blobsOf(shell, head.number), from, to).catch((error: unknown) => {
    throw error instanceof Damaged ? new Refusal('not-found', `its documents cannot be read: ${error.message}`) : error;
  });
  const some = differences.slice(0, differencesMax);
  return { status: 200, body: { from: query.from, to: query.to, differences: some, more: some.length < differences.length } };
}

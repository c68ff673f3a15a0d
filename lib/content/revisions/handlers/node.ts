import { Refusal } from '../../../api/problem.ts';
import { ZoneName } from '../../../core/ids.ts';
import { type ContentDone, type Desired, type DesiredContent, desiredRef } from '../../../nodes/desired/desired.ts';
import { decideContentDone } from '../../../nodes/desired/rows/order.ts';
import type { Node } from '../../../nodes/node.ts';
import { refuseStranger } from '../../../nodes/verify-life.ts';
import { type NodeCaller, nodeOf } from '../../../nodes/verify-node.ts';
import { apply } from '../../../runtime/apply.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import type { Answer, Call, Handlers } from '../../../runtime/on-route.ts';
import { read } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { nameOfBlob } from '../../../uyuni/content/blob.ts';
import { Damaged } from '../../../uyuni/content/packed.ts';
import { zoneOf } from '../../../zones/reads/zones.ts';
import { planExported, planExportFailed } from '../changes.ts';
import type { ContentOutcome, contentNodeRoutes } from '../node-routes.ts';
import { manifestIn, storedName, storeOf } from '../reads/blobs.ts';
import { contentRef, type Revision } from '../revision.ts';

type Routes = typeof contentNodeRoutes;

/** What agents of Uyuni servers read, store and report about revisions of common content. */
export const contentNodeHandlers: Handlers<Routes, NodeCaller> = { readContentBlob, storeContentBlob, reportContent };

/** A part of a revision of the zone of the node, for a server that has an order about its content. */
async function readContentBlob({ params, caller }: Call<Routes['readContentBlob'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  const { content, export: reading } = await ordersFor(shell, node);
  const mayRead = (content ?? reading) && node.status !== 'dropped';
  const stored = mayRead && (await storeOf(shell).read(storedName(await numberOf(shell, node), params.blob)));
  if (!stored) throw new Refusal('not-found', `blob ${params.blob} is not in the store`);
  return { status: 200, body: { bytes: Buffer.from(stored.bytes).toString('base64') } };
}

/** Stores a part while the content of the node is to be read. Throws a {@link Refusal} for bytes of another name. */
async function storeContentBlob({ params, body, caller }: Call<Routes['storeContentBlob'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  const bytes = new Uint8Array(Buffer.from(body.bytes, 'base64'));
  if (nameOfBlob(bytes) !== params.blob) throw new Refusal('refused', 'the bytes are not those of the name');
  if (!(await ordersFor(shell, node)).export) throw new Refusal('refused', 'the content of the node is not to be read');
  const name = storedName(await numberOf(shell, node), params.blob);
  // Also where it is there: what was stored long ago, and is of no revision, would be removed soon.
  await storeOf(shell).write(name, bytes);
  return { status: 200, body: { stored: true } };
}

const ordersFor = async (shell: Shell, { id }: Node): Promise<Pick<Desired, 'content' | 'export'>> =>
  (await read(shell, desiredRef(id))) ?? {};

async function numberOf(shell: Shell, { zone }: Node): Promise<number> {
  const loaded = await zoneOf(shell, zone);
  if (!loaded) throw new Refusal('unknown-node', `zone ${zone} is deleted`);
  return loaded.head.number;
}

/** Takes what an agent says became of an order. */
async function reportContent({ body, request, caller }: Call<Routes['reportContent'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  refuseStranger(node, body.incarnation);
  const { order, outcome } = body;
  const { content: ordered, export: reading } = await ordersFor(shell, node);
  const because =
    reading?.order === order
      ? await exported(shell, node, { order, outcome, request })
      : ordered?.order === order && !ordered.done
        ? await applied(shell, node, { ordered, outcome, request })
        : undefined;
  if (because === undefined) return { status: 200, body: { taken: false, because: 'another order came since, or it is done' } };
  shell.log('info', 'content.reported', { node: node.id, order, is: outcome.is, because });
  return { status: 200, body: { taken: true, because } };
}

type Reported = { readonly outcome: ContentOutcome; readonly request: { readonly id: string } };

async function exported(shell: Shell, node: Node, { order, outcome, request }: Reported & { readonly order: string }): Promise<string> {
  const zone = ZoneName.parse(node.zone);
  if (outcome.is === 'applied') throw new Refusal('refused', 'the content was to be read, not changed');
  const failed = async (why: string): Promise<string> => {
    const plan = await applyPlan(shell, request, (reading) => planExportFailed(shell, reading, zone, { order, why }));
    return plan.because[0] ?? '';
  };
  if (outcome.is === 'failed') return failed(outcome.why.join('; ').slice(0, 400));
  await wantWhole(shell, node, outcome);
  const { root, entries, manifest } = outcome;
  const removes = (await read(shell, contentRef(zone)))?.exporting?.removes;
  if (entries === 0 && removes) return failed('it has no content, and everything would be removed on all servers');
  const plan = await applyPlan(shell, request, (reading) => planExported(shell, reading, zone, { order, root, entries, manifest }));
  return plan.because[0] ?? '';
}

/** Throws a {@link Refusal} where the manifest is not in the store, or is another than the agent says. */
async function wantWhole(
  shell: Shell,
  node: Node,
  { root, entries, manifest }: Extract<ContentOutcome, { is: 'exported' }>,
): Promise<void> {
  try {
    const stored = await manifestIn(shell, await numberOf(shell, node), manifest);
    if (stored.root !== root || stored.entries !== entries) throw new Damaged('the manifest is another');
  } catch (error) {
    if (error instanceof Damaged) throw new Refusal('refused', error.message);
    throw error;
  }
}

async function applied(
  shell: Shell,
  node: Node,
  { ordered, outcome, request }: Reported & { readonly ordered: DesiredContent },
): Promise<string> {
  if (outcome.is === 'exported') throw new Refusal('refused', 'the content was to be changed, not read');
  const revision = (await read(shell, contentRef(node.zone)))?.revisions.find((one) => one.revision === ordered.revision);
  const done = doneOf(outcome, revision, shell.now());
  const { decision } = await apply(shell, desiredRef(node.id), request, (desired) => decideContentDone(desired, ordered.order, done));
  return decision.because;
}

/** A server has a revision when the root of its tree says so, or when it lacks nothing of it and has others beyond. */
function doneOf(outcome: Exclude<ContentOutcome, { is: 'exported' }>, revision: Revision | undefined, at: ContentDone['at']): ContentDone {
  const { counts } = outcome;
  if (outcome.is === 'failed') return { is: 'failed', at, why: outcome.why, ...(counts && { counts }) };
  const isWhole = outcome.root === revision?.root || (!revision?.removes && outcome.counts.extra > 0);
  return isWhole
    ? { is: 'applied', at, counts: outcome.counts, why: [] }
    : { is: 'failed', at, counts: outcome.counts, why: ['its content is another than that of the revision'] };
}

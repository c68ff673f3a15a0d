import type { NodeReport } from '../../../../events/reported/node.ts';
import { type Decision, nothing, write } from '../../../core/decision.ts';
import { type Desired, newsMax } from '../desired.ts';

/** The agent has carried out its release orders up to a map version. */
export function decideDesired(desired: Desired | undefined, released: Extract<NodeReport, { type: 'node.released' }>): Decision<Desired> {
  const { mapVersion } = released.data;
  const left = desired?.release.filter((order) => order.mapVersion > mapVersion) ?? [];
  if (!desired || left.length === desired.release.length) return nothing(`no release order up to map version ${mapVersion} waits`);
  return write<Desired, never>({ ...desired, release: left }, `released up to map version ${mapVersion}`);
}

/**
 * Records that the metadata of one of the node's client systems has changed, or may have: a caller whose answer was
 * lost reports it again.
 */
export function decideNews(
  desired: Desired | undefined,
  { fp, revision }: { readonly fp: string; readonly revision: number },
): Decision<Desired> {
  const system = fp.slice(0, 16);
  const { changed, fallen } = desired?.metadata ?? { changed: [], fallen: 0 };
  if (changed.some((one) => one.system === system && one.revision >= revision)) return nothing('the node is notified already');
  const n = Math.max(fallen, changed.at(-1)?.n ?? 0) + 1;
  const all = [...changed.filter((one) => one.system !== system), { n, system, revision }];
  const [retained, gone] = [all.slice(-newsMax), all.slice(0, -newsMax)];
  const next: Desired = { release: [], ...desired, metadata: { changed: retained, fallen: gone.at(-1)?.n ?? fallen } };
  return write<Desired, never>(next, `metadata of ${system} is at revision ${revision}`);
}

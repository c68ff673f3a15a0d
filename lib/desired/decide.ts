import type { NodeReport } from '../../events/reported/node.ts';
import { type Decision, nothing, write } from '../decision.ts';
import type { Desired } from './desired.ts';

/** The agent has carried out its release orders up to a map version. */
export function decideDesired(desired: Desired | undefined, released: Extract<NodeReport, { type: 'node.released' }>): Decision<Desired> {
  const { mapVersion } = released.data;
  const left = desired?.release.filter((order) => order.mapVersion > mapVersion) ?? [];
  if (!desired || left.length === desired.release.length) return nothing(`no release order up to map version ${mapVersion} waits`);
  return write<Desired, never>({ ...desired, release: left }, `released up to map version ${mapVersion}`);
}

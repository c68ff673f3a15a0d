import type { Decision, Follower } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { recoveryCoordinator, recoverySupervisor } from '../services/rows/own-work.ts';
import type { Service } from '../services/service.ts';
import { decide as decideStations, type StationsInput } from './decide.ts';
import { type Stations, stationsRef } from './stations.ts';

/**
 * The change to the row of the zone's stations that follows from a decision about one of their services. A coordinator
 * that was restarted by itself acts under the number of that start, until it has failed for good. Services that went
 * with their node begin again once the node is heard.
 */
export function ofStations(before: Service | undefined, decision: Decision<Service>, now: EpochMs): Follower[] {
  if (!before || (before.type !== recoveryCoordinator && before.type !== recoverySupervisor)) return [];
  const { zone, node } = before;
  const change = (input: StationsInput): Follower[] => [
    { ref: stationsRef(zone), decide: (state) => decideStations(state as Stations | undefined, input, now) },
  ];
  if (decision.does === 'remove') return change({ type: 'unregistered', node });
  if (decision.does !== 'write' || before.type !== recoveryCoordinator) return [];
  const { start, state, retryAt } = decision.next;
  if (start !== before.start) return change({ type: 'restarted', node, epoch: start });
  const hasFailed = state.is === 'failed' && retryAt === undefined && (before.state.is !== 'failed' || before.retryAt !== undefined);
  return hasFailed ? change({ type: 'failed', node, epoch: start }) : [];
}

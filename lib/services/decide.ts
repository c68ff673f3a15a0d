import type { ServiceReport } from '../../events/reported/service.ts';
import { type Decision, nothing, type Removed, type Tick } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { failedEvent, type ServiceEvent } from './move.ts';
import { onReport, type Refused, type Surroundings } from './on-report.ts';
import { onTick } from './on-tick.ts';
import { resync, type TableReport } from './resync.ts';
import type { Service } from './service.ts';

/**
 * The node of the service was given up. The last state of the service is unknown, and no report about it will follow.
 */
export type NodeLost = { readonly type: 'node-lost' };

/**
 * The inputs of {@link decide}: a report about a service, the passing of time with whether its node is away, the table
 * of its node, or the loss of its node.
 */
export type ServiceInput = ServiceReport | (Tick & { readonly isAway: boolean }) | TableReport | NodeLost;

/** Decides what a report, the passing of time, a table of its node or the loss of that node means for one service. */
export function decide(
  service: Service | undefined,
  input: ServiceInput,
  surroundings: Surroundings,
  now: EpochMs,
): Decision<Service> | Refused {
  if (!service) return nothing('there is no such service');
  switch (input.type) {
    case 'tick':
      return onTick(service, input, now);
    case 'table':
      return resync(service, input, now);
    case 'node-lost':
      return onLost(service);
    default:
      return onReport(service, input, surroundings, now);
  }
}

/**
 * The node does not come back: the service has failed and is no longer registered, so that nothing waits for the node.
 */
function onLost(service: Service): Removed<Service, ServiceEvent> {
  const reason = 'node lost';
  const { retryAt: _due, running: _pid, ...rest } = service;
  const last: Service = { ...rest, state: { is: 'failed', reason }, resources: [], asks: [] };
  return { does: 'remove', last, events: [failedEvent(last, reason)], because: reason };
}

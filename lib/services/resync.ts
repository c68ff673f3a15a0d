import type { RunningService } from '../../events/reported/process.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import type { NodeId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import { isContradicted, isOvertaken } from '../nodes/rows/table.ts';
import { heardAfter, heardNaming } from './heard.ts';
import { dueAt, holdsItsOwn, moved, started, unregistered } from './move.ts';
import { instanceOf, isSameProcess, type Service } from './service.ts';

/**
 * The part of a node's process table about one service. `entry` is the process that runs, or undefined where none does.
 * `back` gives the cause of the table. `no`: the agent was asked for it. `same kernel`: the agent has restarted.
 * `anew`: the agent has restarted, and with it its kernel or everything that it ran.
 */
export type TableReport = {
  readonly type: 'table';
  readonly node: NodeId;
  readonly incarnation: number;
  /** The number of the table among the agent's reports. It includes all reports before it. */
  readonly seq: number;
  readonly back: 'no' | 'same kernel' | 'anew';
  /** When it came. */
  readonly at: EpochMs;
  readonly entry: RunningService | undefined;
};

/**
 * Applies the table of a node to a service. If the instance on record runs, the service takes its state from the table.
 * If it does not run, it is restarted if its node was away, and has failed if its node was not. It is unregistered if
 * it was ordered to stop.
 */
export function resync(service: Service, table: TableReport, now: EpochMs): Decision<Service> {
  const { heard, state } = service;
  if (isOvertaken(heard, table)) return nothing('a newer report was applied already');
  const report = forOne(service, table);
  if (report.entry && report.back !== 'anew' && report.entry.instance === instanceOf(service))
    return onListed(service, report.entry, report, now);
  const also = { heard: heardAfter(heard, report) };
  // The table does not include later orders.
  if (state.is === 'starting' && !service.running && service.since >= report.at) return nothing('its start is newer than the table');
  if (service.stopping) return unregistered(service, 'its node does not list it, and it was ordered to stop');
  if (report.back !== 'no')
    return started(
      service,
      { because: `its node is back, and it must run (it was ${state.is})`, also: { ...also, ...anew }, ended: hasEnded(report) },
      now,
    );
  if (state.is === 'failed') return nothing('it has failed already');
  // While no process was reported yet, the agent may not know the order.
  if (state.is === 'starting' && !service.running) return nothing('it is being started');
  if (state.is === 'stopping') return unregistered(service, 'its node no longer lists it, and it was about to end');
  return moved(service, 'failed', { because: 'its node does not list it', reason: 'exited', also, ended: true }, now)!;
}

/**
 * Whether a table that changed nothing about a service leaves open which process of it runs, or with which
 * configuration.
 */
export const isOpenAfter = (service: Service, table: TableReport): boolean =>
  isContradicted(service, table.entry, table) || (service.configuredBy !== undefined && isOvertaken(service.heard, table));

/**
 * The table as it applies to one service. A service that began after its node was back did not end with the node. For
 * that service, the first table of a boot is like any other.
 */
const forOne = ({ heard }: Service, report: TableReport): TableReport =>
  heard?.node === report.node && heard.incarnation === report.incarnation && report.back === 'anew' ? { ...report, back: 'no' } : report;

/** Whether nothing of the service runs any more, of any instance. */
const hasEnded = ({ back, entry }: TableReport): boolean => back === 'anew' || entry === undefined;

/** Once its node is back, the service has all its attempts again. */
const anew = { attempts: 0 } as const;

function onListed(before: Service, entry: RunningService, report: TableReport, now: EpochMs): Decision<Service> {
  const { pid, born, state } = entry;
  const { configuredBy, ...service } = holdsItsOwn(before);
  const { running } = service;
  const heardNow = { heard: heardNaming(service.heard, report) };
  const isKnown = !before.heldBefore && !configuredBy && isSameProcess(running, { pid, born });
  const configured = configuredBy ?? running;
  const isConfigured = isSameProcess(configured, { pid, born });
  if (service.accepted && !isConfigured)
    return started(service, { because: `its node lists it with pid ${pid}, perhaps with an earlier order`, also: heardNow }, now);
  // The drift that another process reported is none of this one.
  const { drift, ...asOrdered } = service;
  const listed = configured && !isConfigured ? asOrdered : service;
  const also = { ...heardNow, running: { pid, ...(born !== undefined && { born }) } };
  const move = state === service.state.is ? undefined : state === 'online' ? 'online' : state === 'stopping' ? 'stopping' : undefined;
  const because = `its node lists it as ${state}, with pid ${pid}`;
  const next = move && moved(listed, move, { because, also }, now);
  if (next) return next;
  if (isKnown) return nothing(`it runs with pid ${pid}; on record it is ${service.state.is}`);
  return write<Service, never>({ ...listed, ...also }, because, { wakeAt: dueAt(service) });
}

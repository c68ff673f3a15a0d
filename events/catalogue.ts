import * as z from 'zod';
import { stamps } from './define.ts';
import {
  ClientAccepted,
  ClientAdopted,
  ClientAssigned,
  ClientBanned,
  ClientCopied,
  ClientDuplicated,
  ClientHeard,
  ClientIntroduced,
  ClientLabelled,
  ClientNameShared,
  ClientPinned,
  ClientReplaced,
  ClientSeen,
  ClientSettled,
  ClientSilent,
  ClientUnpinned,
  ClientUnregistered,
} from './published/client.ts';
import { ContentApplied, ContentApplying, ContentFailed } from './published/content.ts';
import { ClusterDisposed, ClusterLevelReached } from './published/level.ts';
import { ClusterLoaded } from './published/loading.ts';
import { NodeWasAdded, NodeWasRemoved, ProcessWasAdded, ProcessWasRemoved } from './published/mero.ts';
import {
  NodeAcknowledged,
  NodeActivated,
  NodeDeparting,
  NodeDropped,
  NodeJoined,
  NodeLost,
  NodeQuarantined,
  NodeReadmissionAsked,
  NodeReadmitted,
  NodeRecovered,
  NodeRekeyed,
  NodeReplaced,
  NodeSuspected,
} from './published/node.ts';
import { ProcessHasFailed, ProcessIsOnline, ProcessIsStarting, ProcessIsStopped, ProcessIsStopping } from './published/process.ts';
import { SeatElected, SeatEnded, SeatEntered, SeatLeft, SeatLost } from './published/seat.ts';
import { ContentHasChanged, SystemsHaveChanged } from './published/server.ts';
import {
  ServiceHasFailed,
  ServiceHealth,
  ServiceIsConfigured,
  ServiceIsOnline,
  ServiceIsStarting,
  ServiceIsStopped,
  ServiceIsStopping,
} from './published/service.ts';
import { SiteOrderDone, SiteOrderExpired, SiteOrderOrdered, SiteOrderRefused } from './published/site-order.ts';
import { CoordinatorElected, CoordinatorLost, StationQuorate } from './published/station.ts';
import {
  ZoneCalm,
  ZoneCreated,
  ZoneCrowded,
  ZoneDeleted,
  ZoneDisrupted,
  ZoneNodeLost,
  ZoneRebalanced,
  ZoneRecovered,
  ZoneRecoveryLate,
  ZoneRelieved,
} from './published/zone.ts';
import { NodeHeartbeat, NodeLeaving, NodeReady, NodeReleased, NodeReport, NodeUp } from './reported/node.ts';
import {
  NodeTable,
  ProcessFailed,
  ProcessReport,
  ProcessStarted,
  ProcessStarting,
  ProcessStopped,
  ProcessStopping,
} from './reported/process.ts';
import {
  ServiceAcquired,
  ServiceAnswered,
  ServiceConfigured,
  ServiceFailed,
  ServiceReleased,
  ServiceReport,
  ServiceStarted,
  ServiceStarting,
  ServiceStopped,
  ServiceStopping,
} from './reported/service.ts';
import { SupervisorMissed } from './reported/supervisor.ts';

/** Every report, by type. The wiring's test fails for a type that no queue carries, or that two queues carry. */
export const reported = {
  'node.up': NodeUp,
  'node.heartbeat': NodeHeartbeat,
  'node.ready': NodeReady,
  'node.leaving': NodeLeaving,
  'node.released': NodeReleased,
  'node.table': NodeTable,
  'process.starting': ProcessStarting,
  'process.started': ProcessStarted,
  'process.stopping': ProcessStopping,
  'process.stopped': ProcessStopped,
  'process.failed': ProcessFailed,
  'service.starting': ServiceStarting,
  'service.started': ServiceStarted,
  'service.stopping': ServiceStopping,
  'service.stopped': ServiceStopped,
  'service.failed': ServiceFailed,
  'service.acquired': ServiceAcquired,
  'service.released': ServiceReleased,
  'service.configured': ServiceConfigured,
  'service.answered': ServiceAnswered,
  'supervisor.missed': SupervisorMissed,
} as const;
export type ReportType = keyof typeof reported;

/** Any report as our endpoints stamp it. */
export const Report = z.discriminatedUnion('type', [
  ...NodeReport.options,
  ...ProcessReport.options,
  ...ServiceReport.options,
  SupervisorMissed,
]);
export type Report = z.infer<typeof Report>;

/**
 * The reports that automation may put on the ingest bus, without stamps: Muster sets those. Every sender that may put
 * events there is trusted, and only for these types. `service.configured` is not among them: by the rule of its type it
 * can change what is ordered, and only the service's own agent may do that.
 */
export const BusReport = z.discriminatedUnion('type', [
  NodeLeaving.omit(stamps),
  ProcessStarting.omit(stamps),
  ProcessStarted.omit(stamps),
  ProcessStopping.omit(stamps),
  ProcessStopped.omit(stamps),
  ProcessFailed.omit(stamps),
  ServiceStarting.omit(stamps),
  ServiceStarted.omit(stamps),
  ServiceStopping.omit(stamps),
  ServiceStopped.omit(stamps),
  ServiceFailed.omit(stamps),
  ServiceAcquired.omit(stamps),
  ServiceReleased.omit(stamps),
  ServiceAnswered.omit(stamps),
]);
export type BusReport = z.infer<typeof BusReport>;

/**
 * A report of automation as Muster processes it: with its sender, and without a number. The agent alone numbers the
 * reports of its node; with an invented number here, the agent's next reports would count as old.
 */
export function takenFrom(by: string, { seq: _seq, ...report }: BusReport): BusReport & { readonly by: string } {
  return { ...report, by } as BusReport & { readonly by: string };
}

/** Every event we publish, by type. */
export const published = {
  'node.joined': NodeJoined,
  'node.acknowledged': NodeAcknowledged,
  'node.activated': NodeActivated,
  'node.suspected': NodeSuspected,
  'node.recovered': NodeRecovered,
  'node.lost': NodeLost,
  'node.dropped': NodeDropped,
  'node.departing': NodeDeparting,
  'node.quarantined': NodeQuarantined,
  'node.readmission-asked': NodeReadmissionAsked,
  'node.readmitted': NodeReadmitted,
  'node.rekeyed': NodeRekeyed,
  'node.replaced': NodeReplaced,
  'process.starting': ProcessIsStarting,
  'process.online': ProcessIsOnline,
  'process.stopping': ProcessIsStopping,
  'process.stopped': ProcessIsStopped,
  'process.failed': ProcessHasFailed,
  'service.starting': ServiceIsStarting,
  'service.online': ServiceIsOnline,
  'service.stopping': ServiceIsStopping,
  'service.stopped': ServiceIsStopped,
  'service.failed': ServiceHasFailed,
  'service.health': ServiceHealth,
  'service.configured': ServiceIsConfigured,
  'seat.elected': SeatElected,
  'seat.entered': SeatEntered,
  'seat.left': SeatLeft,
  'seat.lost': SeatLost,
  'seat.ended': SeatEnded,
  'content.applying': ContentApplying,
  'content.applied': ContentApplied,
  'content.failed': ContentFailed,
  'site-order.ordered': SiteOrderOrdered,
  'site-order.done': SiteOrderDone,
  'site-order.refused': SiteOrderRefused,
  'site-order.expired': SiteOrderExpired,
  'station.quorate': StationQuorate,
  'coordinator.elected': CoordinatorElected,
  'coordinator.lost': CoordinatorLost,
  'zone.created': ZoneCreated,
  'zone.deleted': ZoneDeleted,
  'zone.node-lost': ZoneNodeLost,
  'zone.rebalanced': ZoneRebalanced,
  'zone.disrupted': ZoneDisrupted,
  'zone.calm': ZoneCalm,
  'zone.recovery-late': ZoneRecoveryLate,
  'zone.recovered': ZoneRecovered,
  'zone.crowded': ZoneCrowded,
  'zone.relieved': ZoneRelieved,
  'process.added': ProcessWasAdded,
  'process.removed': ProcessWasRemoved,
  'cluster.loaded': ClusterLoaded,
  'cluster.node-added': NodeWasAdded,
  'cluster.node-removed': NodeWasRemoved,
  'cluster.disposed': ClusterDisposed,
  'cluster.level-reached': ClusterLevelReached,
  'client.seen': ClientSeen,
  'client.duplicated': ClientDuplicated,
  'client.copied': ClientCopied,
  'client.settled': ClientSettled,
  'client.name-shared': ClientNameShared,
  'client.replaced': ClientReplaced,
  'client.accepted': ClientAccepted,
  'client.assigned': ClientAssigned,
  'client.adopted': ClientAdopted,
  'client.introduced': ClientIntroduced,
  'client.labelled': ClientLabelled,
  'client.pinned': ClientPinned,
  'client.unpinned': ClientUnpinned,
  'client.unregistered': ClientUnregistered,
  'client.banned': ClientBanned,
  'client.silent': ClientSilent,
  'client.heard': ClientHeard,
  'system.changed': SystemsHaveChanged,
  'content.changed': ContentHasChanged,
} as const;
export type PublishedType = keyof typeof published;
/** Any event we publish. */
export type Published = { [T in PublishedType]: z.infer<(typeof published)[T]> }[PublishedType];

/**
 * The bus that conclusions leave on and its `source`; the bus that automation reports on and its `source`, and the
 * prefix of the sources of systems that vouch for nodes (`vouched`).
 */
export const buses = {
  out: { name: 'muster', source: 'muster' },
  ingest: { name: 'muster-in', source: 'muster.report', vouched: 'muster.vouched' },
} as const;

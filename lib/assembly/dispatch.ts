import type { Report, ReportType } from '../../events/catalogue.ts';
import type { ProcessReport } from '../../events/reported/process.ts';
import type { ServiceReport } from '../../events/reported/service.ts';
import type { SupervisorReport } from '../../events/reported/supervisor.ts';
import { type Decision, nothing, type RowRef } from '../core/decision.ts';
import type { StepBeside } from '../core/step.ts';
import type { EpochMs } from '../core/time.ts';
import { clusterRef, isLive, type StorageCluster } from '../mero/clusters/cluster.ts';
import { type MeroNode, meroNodeId, meroNodeRef } from '../mero/nodes/mero-node.ts';
import { decide as decideProcess } from '../mero/processes/decide.ts';
import { type MeroProcess, processId, processRef } from '../mero/processes/process.ts';
import { goalOf } from '../mero/processes/rows/goal.ts';
import { limitsOf } from '../mero/processes/rows/limits.ts';
import { decide as decideNode } from '../nodes/decide.ts';
import { decideDesired } from '../nodes/desired/rows/moves.ts';
import { decideDigest } from '../nodes/digests/digest.ts';
import { decideHost } from '../nodes/hosts/host.ts';
import type { Node } from '../nodes/node.ts';
import { decide as decideService } from '../services/decide.ts';
import { decideMissed } from '../services/missed.ts';
import { checkOfConfigured } from '../services/on-configured.ts';
import { typeIn } from '../services/reads/catalogue.ts';
import { type ServiceTypes, typesRef } from '../services/rows/service-type.ts';
import { type ResourceHolders, resourceRef, type Service, serviceRef } from '../services/service.ts';
import { shutOutOf } from '../services/verdict.ts';
import { type WatchSet, watchSetRef } from '../services/watch-set.ts';

/** A row that a report concerns, and the function that decides about it. */
export type Step = { readonly ref: RowRef; readonly decide: (state: unknown, now: EpochMs) => Decision<unknown> };

type Of<T extends ReportType> = Extract<Report, { type: T }>;
type Steps = { readonly [T in ReportType]: (report: Of<T>) => readonly Step[] };

const row = <S>(noun: string, id: string, decide: (state: S | undefined, now: EpochMs) => Decision<unknown>): Step => ({
  ref: { noun, id },
  decide: (state, now) => decide(state as S | undefined, now),
});
type OfWhatRuns = ProcessReport | ServiceReport | SupervisorReport;
const node = (report: Exclude<Report, OfWhatRuns>): Step => row<Node>('node', report.node, (state, now) => decideNode(state, report, now));
/** A report about a process or a service changes nothing about its node, but the node is still read first. */
const speaker = (report: OfWhatRuns): readonly Step[] => [
  row<Node>('node', report.node, (state) =>
    nothing(state ? 'the report is about what runs there' : 'a report from a node that never joined'),
  ),
];

/**
 * Which rows each report concerns, the node first: the other steps run only while the node is known. This one table
 * knows every noun's decide.
 */
const steps: Steps = {
  'node.up': (up) => [node(up), row<Parameters<typeof decideHost>[0]>('host', up.node, (state) => decideHost(state, up))],
  'node.heartbeat': (heartbeat) => [
    node(heartbeat),
    ...(heartbeat.data.digest
      ? [row<Parameters<typeof decideDigest>[0]>('digest', heartbeat.node, (state) => decideDigest(state, heartbeat))]
      : []),
  ],
  'node.ready': (ready) => [node(ready)],
  'node.leaving': (leaving) => [node(leaving)],
  'node.released': (released) => [
    node(released),
    row<Parameters<typeof decideDesired>[0]>('desired', released.node, (state) => decideDesired(state, released)),
  ],
  'node.table': (table) => [node(table)],
  'process.starting': speaker,
  'process.started': speaker,
  'process.stopping': speaker,
  'process.stopped': speaker,
  'process.failed': speaker,
  'service.starting': speaker,
  'service.started': speaker,
  'service.stopping': speaker,
  'service.stopped': speaker,
  'service.failed': speaker,
  'service.acquired': speaker,
  'service.released': speaker,
  'service.configured': speaker,
  'service.answered': speaker,
  'supervisor.missed': speaker,
};

/** The rows that a report concerns, in order. */
export const stepsOf = <T extends ReportType>(report: Of<T>): readonly Step[] =>
  (steps[report.type as T] as (report: Of<T>) => readonly Step[])(report);

/** A node-up of a node that waited for a majority of its zone's stations, now that a majority is heard. */
export const admittedStep = (up: Of<'node.up'>): Step =>
  row<Node>('node', up.node, (state, now) => decideNode(state, up, now, { isQuorate: true }));

/**
 * The row of the process that a report is about, in the zone of the reporting node; undefined for a report about no
 * process.
 */
export function processStep(report: Report, { zone, fqdn }: Pick<Node, 'zone' | 'fqdn'>): StepBeside | undefined {
  if (!isAboutProcess(report)) return undefined;
  const fid = report.data.process;
  return {
    ref: processRef(processId({ zone, fid })),
    beside: [clusterRef(zone), meroNodeRef(meroNodeId({ zone, fqdn }))],
    decide: (state, [cluster, meroNode], now) => {
      const process = state as MeroProcess | undefined;
      const of = cluster as StorageCluster | undefined;
      if (!process || !of || !isLive(process, of)) return nothing(`there is no process ${fid} in zone ${zone}`);
      if (process.host !== fqdn) return nothing(`process ${fid} belongs to ${process.host}, not to ${fqdn}`);
      return decideProcess(process, report, { goal: goalOf(process, of, meroNode as MeroNode | undefined), limits: limitsOf(of) }, now);
    },
  };
}

/**
 * The row of the service that a report is about, on the reporting node; undefined for a report about no service. When
 * the service reports that it has acquired a resource, the holders of the resource and the types of the zone are read
 * too.
 */
export function serviceStep(report: Report, { id, zone }: Pick<Node, 'id' | 'zone'>): StepBeside | undefined {
  if (!isAboutService(report)) return undefined;
  const type = report.data.service;
  if (report.type === 'service.configured') return configuredStep(report, { id, zone });
  const taken = report.type === 'service.acquired' ? [resourceRef(zone, report.data), typesRef(zone)] : [];
  return {
    ref: serviceRef({ node: id, type }),
    beside: taken,
    decide: (state, [holders, put], now) => {
      const mayHold = report.type === 'service.acquired' ? typeIn(put as ServiceTypes | undefined, type)?.schema.resources : undefined;
      return decideService(state as Service | undefined, report, { holders: holders as ResourceHolders | undefined, mayHold }, now);
    },
  };
}

/**
 * The configuration that a service reports is first checked by its schema, if its type accepts reported configurations.
 */
const configuredStep = (report: Of<'service.configured'>, { id, zone }: Pick<Node, 'id' | 'zone'>): StepBeside => {
  const of = (put: unknown) => {
    const types = put as ServiceTypes | undefined;
    return { of: typeIn(types, report.data.service), shutOut: shutOutOf(types, report.data.service) };
  };
  return {
    ref: serviceRef({ node: id, type: report.data.service }),
    beside: [typesRef(zone)],
    check: (state, [put]) => checkOfConfigured(state as Service | undefined, report, of(put)),
    decide: (state, [put], now, verdict) => decideService(state as Service | undefined, report, { ...of(put), verdict }, now),
  };
};

/**
 * The watch set of the supervisor that reports which services it misses, by its node, and the supervisor's own service;
 * undefined for any other report.
 */
export function supervisorStep(report: Report, { id, zone }: Pick<Node, 'id' | 'zone'>): StepBeside | undefined {
  if (report.type !== 'supervisor.missed') return undefined;
  return {
    ref: watchSetRef({ zone, node: id }),
    beside: [serviceRef({ node: id, type: report.data.service })],
    decide: (state, [service], now) => decideMissed(state as WatchSet | undefined, report, service as Service | undefined, now),
  };
}

/** Whether a report is about a service. */
export const isAboutService = (report: Report): report is ServiceReport => report.type.startsWith('service.');
const isAboutProcess = (report: Report): report is ProcessReport => report.type.startsWith('process.');

import type { ReportedResource, Service } from './service.ts';

type Heard = NonNullable<Service['heard']>;
type ReportSource = Pick<Heard, 'node' | 'incarnation' | 'seq'>;
type Resource = Pick<ReportedResource, 'kind' | 'id'>;

/**
 * The maximum number of resources for which a row stores the number of the last report. For the others it stores only
 * the number up to which there were reports.
 */
export const reportedMax = 64;

/**
 * The source of the last report that a row has applied: within one boot the highest number counts, in whichever order
 * reports arrive.
 */
export function heardAfter(heard: Heard | undefined, { node, incarnation, seq }: ReportSource): Heard {
  if (heard?.node !== node || heard.incarnation !== incarnation) return { node, incarnation, seq, said: [] };
  return { ...heard, seq: Math.max(heard.seq, seq) };
}

/** The same, after a report about a resource. */
export function heardOf(before: Heard | undefined, source: ReportSource, { kind, id }: Resource): Heard {
  const heard = heardAfter(before, source);
  if (!heard.said) return heard;
  const all = [...heard.said.filter((one) => one.kind !== kind || one.id !== id), { kind, id, seq: source.seq }];
  const reported = all.toSorted((a, b) => b.seq - a.seq);
  const forgotten = reported[reportedMax];
  return { ...heard, said: reported.slice(0, reportedMax), ...(forgotten && { saidTo: Math.max(heard.saidTo ?? 0, forgotten.seq) }) };
}

/** The same, after a report about the configuration. */
export const heardConfigured = (before: Heard | undefined, source: ReportSource): Heard => ({
  ...heardAfter(before, source),
  configured: source.seq,
});

/** The same, after a report by which the process that is on record from now on runs. */
export function heardNaming(before: Heard | undefined, source: ReportSource): Heard {
  const heard = heardAfter(before, source);
  return { ...heard, named: Math.max(heard.named ?? 0, source.seq) };
}

/** The number of the boot's last report about the configuration, or of the last report about an earlier process. */
export const lastConfigured = ({ said, seq, saidTo = 0, configured = 0 }: Heard): number => (said ? Math.max(saidTo, configured) : seq);

/** A report of an agent. Reports that arrive by the bus have no number. */
type AnySource = Pick<ReportSource, 'node'> & { readonly [K in 'incarnation' | 'seq']?: ReportSource[K] | undefined };

/** What was heard last, if that was of the boot that a report is of. */
export const heardOfBoot = (heard: Heard | undefined, { node, incarnation }: AnySource): Heard | undefined =>
  heard?.node === node && heard.incarnation === incarnation ? heard : undefined;

/**
 * The service after a report that a process of its instance begins or has ended. The resources and the drift that were
 * reported before it belonged to an earlier process, and reports about them that still arrive have no effect. Returns
 * the same service where nothing changes. It also does so for a row that an older version of Muster wrote, which does
 * not store the report number of each resource.
 */
export function atBorder(service: Service, source: AnySource): Service {
  const { heard } = service;
  const { node, incarnation, seq } = source;
  if (incarnation === undefined || seq === undefined) return service;
  const own = heardOfBoot(heard, source);
  if (own ? !own.said || seq <= (own.saidTo ?? -1) : (heard?.incarnation ?? 0) > incarnation) return service;
  const known: Heard = own ?? { node, incarnation, seq: 0 };
  const reported = (known.said ?? []).filter((one) => one.seq > seq);
  const resources = service.resources.filter(({ kind, id }) => reported.some((one) => one.kind === kind && one.id === id));
  const { drift, ...rest } = service;
  const isSince = drift && (known.configured ?? 0) > seq;
  return { ...rest, ...(isSince && { drift }), resources, heard: { ...known, said: reported, saidTo: seq } };
}

/** Whether a report is from before the last known beginning or end of a process of its boot. */
export const isBeforeBorder = (heard: Heard | undefined, source: AnySource): boolean =>
  source.seq !== undefined && source.seq < (heardOfBoot(heard, source)?.saidTo ?? -1);

/**
 * The resources that are held although this report ends the process that held them: reports of the next process
 * overtook it. {@link atBorder} must have been applied to the service.
 */
export const heldSince = ({ resources, heard }: Service, { node, incarnation, seq }: AnySource): Service['resources'] =>
  heard?.said && heard.node === node && heard.incarnation === incarnation && seq !== undefined && seq <= (heard.saidTo ?? -1)
    ? resources
    : [];

/**
 * The number of the boot's last report about a resource: each resource is acquired and released on its own, whatever
 * else was reported since. In a row that an older version of Muster wrote, it is the number of the last report of any
 * kind.
 */
export function lastReportOf({ said, seq, saidTo = 0 }: Heard, { kind, id }: Resource): number {
  if (!said) return seq;
  return said.find((one) => one.kind === kind && one.id === id)?.seq ?? saidTo;
}

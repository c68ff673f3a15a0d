/** How much an event asks of people: nothing, that somebody looks at it some time, or that somebody looks now. */
export const severities = ['info', 'notice', 'alarm'] as const;
export type Severity = (typeof severities)[number];

/**
 * The events that ask more of people than to be kept. An alarm is what a fleet does not mend by itself, or what many
 * client systems feel; a notice is what explains it, what ends it, and what people did. Every other event is `info`.
 */
export const severe: Readonly<Record<string, Severity>> = {
  'node.lost': 'alarm',
  'node.dropped': 'alarm',
  'node.quarantined': 'alarm',
  'node.readmission-asked': 'alarm',
  'zone.node-lost': 'alarm',
  'zone.disrupted': 'alarm',
  'zone.crowded': 'alarm',
  'zone.recovery-late': 'alarm',
  'coordinator.lost': 'notice',
  'station.quorate': 'notice',
  'process.failed': 'notice',
  'service.failed': 'notice',
  'service.health': 'notice',
  'service.configured': 'notice',
  'process.added': 'notice',
  'process.removed': 'notice',
  'cluster.loaded': 'notice',
  'cluster.node-added': 'notice',
  'cluster.node-removed': 'notice',
  'cluster.disposed': 'notice',
  'node.suspected': 'notice',
  'node.recovered': 'notice',
  'node.departing': 'notice',
  'node.readmitted': 'notice',
  'node.rekeyed': 'notice',
  'node.replaced': 'notice',
  'zone.created': 'notice',
  'zone.deleted': 'notice',
  'zone.calm': 'notice',
  'zone.relieved': 'notice',
  'zone.recovered': 'notice',
  'client.banned': 'notice',
  'client.duplicated': 'notice',
};

/**
 * How severe an event is, by its type and by what it says: a process or service that failed is started again by rule,
 * and an alarm once the rule has given up.
 */
function severityOf(type: string, data: unknown): Severity {
  const { attempts, retry } = Object(data) as { attempts?: number; retry?: boolean };
  return (type === 'process.failed' || type === 'service.failed') && retry === false && attempts! > 0 ? 'alarm' : (severe[type] ?? 'info');
}

/** Whether an event of this type, which says this, is at least as severe. */
export const isAtLeast = (type: string, least: Severity, data?: unknown): boolean =>
  severities.indexOf(severityOf(type, data)) >= severities.indexOf(least);

/** How much attention an event needs from people: none (`info`), some time (`notice`), or now (`alarm`). */
export const severities = ['info', 'notice', 'alarm'] as const;
export type Severity = (typeof severities)[number];

/**
 * The events that need attention. An alarm is something that a fleet does not repair by itself, or that affects many
 * client systems. A notice explains an alarm, ends it, or records an action of people. Every other event is `info`.
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
  'seat.elected': 'notice',
  'seat.lost': 'alarm',
  'content.applying': 'notice',
  'content.applied': 'notice',
  'content.failed': 'alarm',
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
  'client.name-shared': 'notice',
  'client.copied': 'alarm',
  'client.settled': 'notice',
  'client.replaced': 'notice',
};

/**
 * How severe an event is, by its type and its data: Muster restarts a failed process or service by rule, and the event
 * is an alarm once the rule has given up.
 */
function severityOf(type: string, data: unknown): Severity {
  const { attempts, retry } = Object(data) as { attempts?: number; retry?: boolean };
  return (type === 'process.failed' || type === 'service.failed') && retry === false && attempts! > 0 ? 'alarm' : (severe[type] ?? 'info');
}

/** Whether an event of this type, with this data, is at least as severe. */
export const isAtLeast = (type: string, least: Severity, data?: unknown): boolean =>
  severities.indexOf(severityOf(type, data)) >= severities.indexOf(least);

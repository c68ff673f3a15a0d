/** The prefixes of partition keys, by the owner of their rows; `lib/ports/table/keys.ts` lists the rows. */
export type Lead =
  | 'action'
  | 'action-there'
  | 'api-key'
  | 'attempt'
  | 'audit'
  | 'audit-heads'
  | 'audited'
  | 'changes'
  | 'client'
  | 'cluster'
  | 'cluster-id'
  | 'dead'
  | 'deliveries'
  | 'deployment'
  | 'fqdn'
  | 'history'
  | 'idempotency'
  | 'join-token'
  | 'journal'
  | 'key'
  | 'machine-id'
  | 'minion-text'
  | 'node'
  | 'nonce'
  | 'onboarding-refusals'
  | 'onboarding-token'
  | 'pool-source'
  | 'pooled-host'
  | 'residents'
  | 'service-resources'
  | 'silence'
  | 'source'
  | 'subject'
  | 'supervision'
  | 'system-action'
  | 'system-name'
  | 'ticket'
  | 'webhook'
  | 'zone'
  | 'zone-number';

/**
 * The partition keys with that prefix, as a pattern in which `*` matches anything; every part of a key is encoded, so
 * no key contains a `*`. Only the partition of rows that exist once in a deployment has no id.
 */
export const leadPattern = (lead: Lead): string => (lead === 'deployment' ? lead : `${lead}#*`);

/** A zone, and the rows that a function plans in it after a change. */
const zones = ['zone', 'supervision', 'cluster', 'service-resources'] as const satisfies readonly Lead[];

/**
 * Which partitions each function may write to. IAM sees partitions, not rows: `deployment` holds the settings, the
 * rules of admission and the webhooks beside the counts of the sweep, `zone` the map beside the stations.
 */
export const writes = {
  // deployment: an admission rule counts its hosts. client: metadata that nodes write. machine-id, system-name,
  // minion-text, cluster-id: client systems that are adopted with their node.
  'node-door': [
    ...['node', 'fqdn', 'key', 'nonce', 'join-token', 'pooled-host', 'pool-source', 'attempt'],
    ...['zone', 'zone-number', 'residents', 'supervision', 'deployment', 'client', 'silence', 'changes'],
    ...['machine-id', 'system-name', 'minion-text', 'ticket', 'cluster-id'],
    // What servers have scheduled of an action.
    ...['system-action', 'action', 'action-there'],
  ],
  // node: client systems report unreachable nodes. zone: a client system without a node is counted by its zone.
  knock: [
    'client',
    'machine-id',
    'system-name',
    'minion-text',
    'cluster-id',
    'nonce',
    'source',
    'onboarding-token',
    'onboarding-refusals',
    'node',
    'zone',
    'residents',
  ],
  admin: [
    ...['action', 'action-there', 'system-action'],
    ...['api-key', 'subject', 'attempt', 'idempotency', 'deployment', 'dead', 'webhook', 'deliveries', 'residents'],
    ...[
      'client',
      'machine-id',
      'system-name',
      'minion-text',
      'ticket',
      'cluster-id',
      'onboarding-token',
      'join-token',
      'pooled-host',
      'node',
      'fqdn',
      'key',
      'zone-number',
      ...zones,
    ],
  ],
  search: ['api-key', 'subject', 'attempt'],
  // client, silence: a client system that its node no longer sees is flagged, and counted.
  heartbeats: ['node', 'client', 'silence', 'dead'],
  // fqdn, residents: a node that comes back takes its name and its place in the zone again.
  reports: ['node', 'fqdn', 'dead', 'residents', ...zones],
  // key: a node that a load of facts removes loses its key. zone-number: a missing first zone is created.
  sweep: ['node', 'key', 'deployment', 'zone-number', ...zones],
  publish: ['history', 'journal', 'audit', 'audit-heads', 'audited', 'dead'],
  // deployment: a webhook whose target is gone is disabled.
  webhooks: ['deliveries', 'deployment', 'dead'],
  // key: the next key of a node takes effect with the first call that it signs.
  'heartbeat-door': ['node', 'client', 'silence', 'key', 'zone', 'supervision'],
  'status-door': ['client'],
} as const satisfies Readonly<Record<string, readonly Lead[]>>;

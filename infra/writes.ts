/** What partition keys begin with, by whose rows stand there; `lib/ports/table/keys.ts` says which rows. */
export type Lead =
  | 'api-key'
  | 'attempt'
  | 'audit'
  | 'audit-heads'
  | 'audited'
  | 'client'
  | 'cluster'
  | 'dead'
  | 'deliveries'
  | 'deployment'
  | 'fqdn'
  | 'history'
  | 'idempotency'
  | 'join-token'
  | 'key'
  | 'machine-id'
  | 'node'
  | 'nonce'
  | 'onboarding-token'
  | 'pool-source'
  | 'pooled-host'
  | 'residents'
  | 'service-resources'
  | 'source'
  | 'subject'
  | 'supervision'
  | 'webhook'
  | 'zone'
  | 'zone-number';

/**
 * The partition keys that begin so, as a pattern in which `*` is anything: every part of a key is encoded, so that none
 * has one in it. Only the partition of what is there once in a deployment is not named by an id.
 */
export const leadPattern = (lead: Lead): string => (lead === 'deployment' ? lead : `${lead}#*`);

/** A zone, and what is planned in it by whoever hears of a change. */
const zones = ['zone', 'supervision', 'cluster', 'service-resources'] as const satisfies readonly Lead[];

/**
 * Which partitions each function may write to. IAM sees partitions, not rows: `deployment` holds the settings, the
 * rules of admission and the webhooks beside the counts of the sweep, `zone` the map beside the stations.
 */
export const writes = {
  // deployment: a rule of admission counts whom it lets in. client: metadata that nodes write.
  'node-door': [
    ...['node', 'fqdn', 'key', 'nonce', 'join-token', 'pooled-host', 'pool-source', 'attempt'],
    ...['zone', 'zone-number', 'residents', 'supervision', 'deployment', 'client'],
  ],
  // node: machines bear witness of nodes. zone: who has no node has its zone counted.
  knock: ['client', 'machine-id', 'nonce', 'source', 'onboarding-token', 'node', 'zone', 'residents'],
  admin: [
    ...['api-key', 'subject', 'attempt', 'idempotency', 'deployment', 'dead', 'webhook', 'deliveries', 'residents'],
    ...['client', 'machine-id', 'onboarding-token', 'join-token', 'pooled-host', 'node', 'fqdn', 'key', 'zone-number', ...zones],
  ],
  heartbeats: ['node', 'dead'],
  // fqdn, residents: a node that comes back takes its name again, and is of its zone again.
  reports: ['node', 'fqdn', 'dead', 'residents', ...zones],
  // key: who is removed with a load of facts has none any more. zone-number: the first zone is made by whoever misses
  // it.
  sweep: ['node', 'key', 'deployment', 'zone-number', ...zones],
  publish: ['history', 'audit', 'audit-heads', 'audited', 'dead'],
  // deployment: a webhook whose target is gone is disabled.
  webhooks: ['deliveries', 'deployment', 'dead'],
  // key: the next key of a node takes over with the first call that it signs.
  'heartbeat-door': ['node', 'key', 'zone', 'supervision'],
  'status-door': ['client'],
} as const satisfies Readonly<Record<string, readonly Lead[]>>;

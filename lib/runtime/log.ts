/** Every line we log has one of these codes; tests and alarms look for codes, never for prose. */
export const logCodes = {
  'report.applied': 'a report was decided upon',
  'table.applied': 'what runs on a host was compared with what is on record',
  'report.dead': 'a message can never succeed, or failed on its last receive, and became a dead row',
  'report.later': 'a message failed transiently and will come again',
  'dead.redriven': 'an operator gave a dead letter back, and it was sent once more',
  'dead.dropped': 'an operator dropped a dead letter',
  'keys.rotated': 'an operator replaced the key that signs membership tokens',
  'node.cloned': 'two machines speak with one key, and their node was quarantined',
  'node.flapping': 'a node was lost and came back so often that it was quarantined',
  'zone.disrupted': 'so many nodes of a zone are silent that none of them is given up for it',
  'zone.crowded': 'slots must move and no node has room for their client systems, so that they wait',
  'zone.recovery-late': 'recovering from the loss of a node takes longer than its zone may, by forecast or in fact',
  'heartbeat.taken': 'a heartbeat is decided upon by the door that took it',
  'garbage.removed': 'rows of a storage cluster went that nobody could reach',
  'heartbeat.late': 'a heartbeat older than its lease was acknowledged and counted',
  'tick.applied': 'a row was looked at because its time had come',
  'plan.applied': 'a plan was committed',
  'plan.conflict': 'a plan met a newer version and will be made again',
  'removal.step': 'processes that an operator removes are gone, or the node of a storage cluster with them',
  'site-orders.decided': 'something was ordered on site, or time passed for what was',
  'stations.decided': 'a station was heard, stations were named, or time passed for their leases',
  'stations.no-quorum': 'a station or a host that waits was heard, and no majority of the stations of its zone is',
  'levels.planned': 'a storage cluster went on to another level, or what holds it up has changed',
  'supervision.planned': 'services or supervisors of a zone are watched by others than before',
  'levels.late': 'a storage cluster waits for processes for longer than a level may take',
  'sweep.late': 'the sweep slept for more than two periods; nobody is expired for one lease',
  'feed.published': 'events went out on the bus',
  'attempt.lost': 'a refused attempt could not be kept for the audit',
  'attempts.over': 'more attempts were refused this minute than the audit keeps',
  'key.use-unnoted': 'that an API key is in use could not be written, and its call was answered all the same',
  'webhook.delivered': 'the target of a webhook took an event',
  'webhook.failed': 'the target of a webhook did not take an event, which is sent again',
  'webhook.dead': 'an event could not be delivered to a webhook, and is not sent again',
  'webhook.disabled': 'the target of a webhook said that it is gone, and nothing more is sent to it',
  'door.refused': 'a call was refused',
  'door.failed': 'a call met something unexpected',
  'idempotency.unkept': 'the answer of a call with an Idempotency-Key could not be remembered; the call was carried out and answered',
} as const;
export type LogCode = keyof typeof logCodes;

/** Fields we chose, never whole objects. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes one line. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', code: LogCode, fields: LogFields) => void;

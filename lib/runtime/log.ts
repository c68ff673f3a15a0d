/** Every log line has one of these codes; tests and alarms match codes, never texts. */
export const logCodes = {
  'report.applied': 'a report was decided',
  'table.applied': 'the processes of a host were compared with the record',
  'report.dead': 'a message that can never succeed, or failed on its last receive, became a dead row',
  'report.later': 'a message failed transiently and will be delivered again',
  'dead.redriven': 'an operator gave a dead letter back, and it was sent again',
  'dead.dropped': 'an operator dropped a dead letter',
  'keys.rotated': 'an operator replaced the key that signs membership tokens',
  'node.cloned': 'a node was quarantined because two machines use its key',
  'node.flapping': 'a node was quarantined because it was lost and came back repeatedly',
  'zone.disrupted': 'so many nodes of a zone are silent that none of them is given up',
  'zone.crowded': 'slots must move, but wait because no node has room for their client systems',
  'zone.recovery-late': 'the recovery from the loss of a node takes longer than the RTO of its zone, by forecast or in fact',
  'heartbeat.taken': 'the endpoint that took a heartbeat decides on it',
  'garbage.removed': 'unreachable rows of a storage cluster were removed',
  'bearing.later': 'what a node bears could not be recorded; its next report tells as much',
  'node.paced': 'a node was found to bear another rate, at which it admits client systems from now on',
  'heartbeat.late': 'a heartbeat older than its lease was acknowledged and counted',
  'silence.later': 'the silent client systems of a node could not be recorded; its next digest has the same news',
  'tick.applied': 'a row was decided because its time had come',
  'plan.applied': 'a plan was committed',
  'plan.conflict': 'a row of a plan had changed, and the plan will be made again',
  'removal.step': 'processes that an operator removes are gone, or their storage cluster node with them',
  'site-orders.decided': 'an order was given on site, or time passed for one',
  'stations.decided': 'a station reported, stations were named, or time passed for their leases',
  'stations.no-quorum': 'a station or a waiting host reported, but no majority of the stations of its zone is heard',
  'levels.planned': 'a storage cluster reached another level, or the reason of its delay changed',
  'supervision.planned': 'services or supervisors of a zone have other watchers than before',
  'levels.late': 'a storage cluster has waited for processes for longer than a level may take',
  'sweep.late': 'the sweep slept for more than two periods; nothing expires for one lease',
  'feed.published': 'events were published on the bus',
  'attempt.lost': 'a refused attempt could not be recorded for the audit',
  'refusals.unstored': 'refused knocks could not be recorded; they will be with the next ones',
  'attempts.over': 'more attempts were refused this minute than the audit records',
  'key.use-unnoted': 'the use of an API key could not be recorded; its call was answered',
  'session.failed': 'a person could not sign in at the issuer with a browser',
  'session.unrevoked': 'a browser signed out, and its sign-in at the issuer could not be ended',
  'webhook.delivered': 'the target of a webhook took an event',
  'webhook.failed': 'the target of a webhook did not take an event, which will be sent again',
  'webhook.dead': 'an event could not be delivered to a webhook, and will not be sent again',
  'webhook.disabled': 'a webhook was disabled because its target answered that it is gone',
  'door.refused': 'a call was refused',
  'door.failed': 'a call failed with an unexpected error',
  'idempotency.unkept': 'the answer of a call with an Idempotency-Key could not be stored; the call was carried out and answered',
} as const;
export type LogCode = keyof typeof logCodes;

/** Single chosen fields, never whole objects. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes one line. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', code: LogCode, fields: LogFields) => void;

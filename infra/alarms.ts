import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { tableSchema } from '../lib/ports/table/schema.ts';
import type { Api } from './stacks/api.ts';
import type { Control } from './stacks/control.ts';
import type { Data } from './stacks/data.ts';
import type { Wiring } from './wiring.ts';

/** An alarm that can wake someone: its name, a sentence on what has happened, and where to read what to do. */
export type AlarmPlan = {
  readonly name: string;
  readonly sentence: string;
  /** A heading of docs/runbook.md, exactly as written there. */
  readonly runbookHeading: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** How many of how many periods must be over it; one of one when absent. */
  readonly periods?: { readonly breaching: number; readonly of: number };
  readonly comparison?: ComparisonOperator;
  /** What missing data means; fine when absent. */
  readonly silenceIs?: 'fine' | 'broken';
};

/** The CloudWatch namespace and metrics that Ops counts from log codes. */
export const counted = {
  namespace: 'Muster',
  'report.dead': {
    metric: 'DeadRows',
    sentence: 'Muster set aside a message that can never succeed, or that failed on its last receive: see muster dlq list.',
    heading: 'Dead rows',
  },
  'door.failed': {
    metric: 'DoorFailures',
    sentence: 'An API call failed with an unexpected error and was answered 500.',
    heading: 'Door failures',
  },
  'node.cloned': {
    metric: 'ClonedNodes',
    sentence: 'Two machines use the key of one node. The node is quarantined: it takes no new client systems, and keeps those it has.',
    heading: 'Cloned nodes',
  },
  'node.flapping': {
    metric: 'FlappingNodes',
    sentence: 'A node was lost and came back repeatedly. It is quarantined: it takes no new client systems, and keeps those it has.',
    heading: 'Flapping nodes',
  },
  'zone.disrupted': {
    metric: 'DisruptedZones',
    sentence: 'So many nodes of a zone fell silent that Muster gives up none of them: the network between them and Muster may be broken.',
    heading: 'Disrupted zones',
  },
  'zone.crowded': {
    metric: 'CrowdedZones',
    sentence: 'Client systems must move to other nodes of their zone and wait, because no node has room for them.',
    heading: 'Crowded zones',
  },
  'zone.recovery-late': {
    metric: 'LateRecoveries',
    sentence: 'The recovery from the loss of a node takes longer than the RTO of its zone, by forecast or in fact.',
    heading: 'Late recoveries',
  },
  'stations.no-quorum': {
    metric: 'UnheardStations',
    sentence: 'Muster hears hosts of a zone, but no majority of its stations: it admits no new node there, and gives up no silent one.',
    heading: 'No majority of stations',
  },
} as const;
/** The log codes whose lines are counted. */
export const countedCodes = [
  'report.dead',
  'door.failed',
  'node.cloned',
  'node.flapping',
  'zone.disrupted',
  'zone.crowded',
  'zone.recovery-late',
  'stations.no-quorum',
] as const;

/** The stacks whose resources are watched. */
export type Watched = {
  readonly wiring: Wiring;
  readonly deployment: string;
  readonly data: Data;
  readonly control: Control;
  readonly api: Api;
};

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
const sum = { period: fiveMinutes, statistic: Stats.SUM };

/** Every alarm of a deployment. */
export const alarmsOf = (watched: Watched): readonly AlarmPlan[] => [
  ...queueAlarms(watched),
  ...functionAlarms(watched),
  ...feedAlarms(watched),
  ...apiAlarms(watched),
  ...tableAlarms(watched),
  ...countedAlarms(watched),
];

/**
 * The oldest that a message may get: a lease (38 s) for heartbeats, which renew leases; a minute for the rest; 20
 * minutes for webhooks, which wait up to 15 minutes on purpose.
 */
const ageMaxSeconds = (queue: string): number => (queue === 'heartbeats' ? 38 : queue === 'webhooks' ? 20 * 60 : 60);

const queueAlarms = ({ control }: Watched): readonly AlarmPlan[] => [
  ...[...control.queues].flatMap(([name, { queue, dead }]): AlarmPlan[] => [
    {
      name: `dead-letters-${name}`,
      sentence: `The dead-letter queue of ${name} is not empty: its consumer failed on a message at every delivery without an answer.`,
      runbookHeading: 'Dead letters',
      metric: dead.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
      threshold: 1,
    },
    {
      name: `queue-age-${name}`,
      sentence: `The oldest message in ${name} has waited more than ${ageMaxSeconds(name)} s for three minutes.`,
      runbookHeading: 'Old messages',
      metric: queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: Stats.MAXIMUM }),
      threshold: ageMaxSeconds(name),
      periods: { breaching: 3, of: 3 },
    },
  ]),
  {
    name: 'undelivered',
    sentence: 'EventBridge or Lambda could not deliver a report from the ingest bus, or the start of a sweep.',
    runbookHeading: 'Undelivered',
    metric: control.undelivered.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: Stats.MAXIMUM }),
    threshold: 1,
  },
];

const functionAlarms = ({ control, wiring }: Watched): readonly AlarmPlan[] =>
  [...control.functions].flatMap(([name, { function: fn }]): AlarmPlan[] => [
    {
      name: `errors-${name}`,
      sentence: `The function ${name} failed in two of three five-minute periods.`,
      runbookHeading: 'Function errors',
      metric: fn.metricErrors(sum),
      threshold: 1,
      periods: { breaching: 2, of: 3 },
    },
    {
      name: `throttles-${name}`,
      sentence: wiring.direct[name]
        ? `Lambda refused to run ${name} because ${wiring.direct[name].atOnce} of it were running: its address received more calls than machines make. The calls of machines went through the API.`
        : `Lambda refused to run ${name} because too many functions of the account were running.`,
      runbookHeading: 'Function throttles',
      metric: fn.metricThrottles(sum),
      threshold: 1,
      periods: { breaching: 2, of: 3 },
    },
    // A lease is over within a minute; an index that is stored late only makes a start slower.
    ...((wiring.functions[name]?.everySeconds?.aws ?? Number.POSITIVE_INFINITY) < 60
      ? [
          {
            name: `${name}-not-running`,
            sentence: `The function ${name} ran less than once a minute for five minutes: no lease expires, and lost nodes go unnoticed.`,
            runbookHeading: 'Sweep not running',
            metric: fn.metricInvocations(sum),
            threshold: 5,
            comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
            silenceIs: 'broken' as const,
          },
        ]
      : []),
  ]);

const feedAlarms = ({ control, wiring }: Watched): readonly AlarmPlan[] =>
  [...control.functions]
    .filter(([name]) => wiring.functions[name]?.feed)
    .flatMap(([name, { function: fn }]): AlarmPlan[] => [
      {
        name: `feed-lag-${name}`,
        sentence: `The function ${name} is more than five minutes behind the table: events go out late.`,
        runbookHeading: 'Feed lag',
        metric: fn.metric('IteratorAge', { period: minute, statistic: Stats.MAXIMUM }),
        threshold: fiveMinutes.toMilliseconds(),
        periods: { breaching: 3, of: 3 },
      },
      {
        name: `feed-late-${name}`,
        sentence: `The function ${name} gave up on records 23 hours old. They are in the bucket for late records, and their events are not published.`,
        runbookHeading: 'Late feed records',
        metric: new Metric({
          namespace: 'AWS/Lambda',
          metricName: 'OnFailureDestinationDeliveredEventCount',
          // Lambda counts deliveries by mapping alone; with FunctionName beside it no such metric exists, and the alarm
          // would be silent.
          dimensionsMap: { EventSourceMappingUUID: control.feeds.get(name)!.eventSourceMappingId },
          ...sum,
        }),
        threshold: 1,
      },
    ]);

const apiAlarms = ({ api: { api } }: Watched): readonly AlarmPlan[] => [
  {
    name: 'api-5xx',
    sentence: 'More than one in a hundred calls was answered with a server error for ten minutes.',
    runbookHeading: 'API server errors',
    metric: api.metricServerError({ period: fiveMinutes, statistic: Stats.AVERAGE }),
    threshold: 0.01,
    periods: { breaching: 2, of: 2 },
    comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
  },
  {
    name: 'api-latency',
    sentence: 'One call in a hundred took longer than three seconds for fifteen minutes.',
    runbookHeading: 'API latency',
    metric: api.metricLatency({ period: fiveMinutes, statistic: Stats.percentile(99) }),
    threshold: 3_000,
    periods: { breaching: 3, of: 3 },
  },
];

const tableAlarms = ({ data: { table } }: Watched): readonly AlarmPlan[] => {
  const events = (metricName: string, index: Record<string, string> = {}) =>
    new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName: table.tableName, ...index }, ...sum });
  // DynamoDB counts an index apart from its table, and a hot index key holds up the table's writes.
  const indexes = tableSchema.indexes.map(({ name }) => ({ name, dimension: { GlobalSecondaryIndexName: name } }));
  const throttled = Object.fromEntries([
    ['reads', events('ReadThrottleEvents')],
    ['writes', events('WriteThrottleEvents')],
    ...indexes.map(({ name, dimension }) => [`${name}Reads`, events('ReadThrottleEvents', dimension)] as const),
    ...indexes.map(({ name, dimension }) => [`${name}Writes`, events('WriteThrottleEvents', dimension)] as const),
  ]);
  return [
    {
      name: 'table-throttles',
      sentence: 'DynamoDB refused reads or writes because a partition, an index or the table was too busy.',
      runbookHeading: 'Table throttles',
      metric: new MathExpression({
        expression: Object.keys(throttled)
          .map((id) => `FILL(${id}, 0)`)
          .join(' + '),
        usingMetrics: throttled,
        period: fiveMinutes,
        label: 'throttled requests',
      }),
      threshold: 1,
      periods: { breaching: 2, of: 3 },
    },
    {
      name: 'table-user-errors',
      sentence: 'DynamoDB refused requests of this account as invalid; Muster should never send one.',
      runbookHeading: 'Table user errors',
      metric: table.metricUserErrors(sum),
      threshold: 1,
      periods: { breaching: 2, of: 3 },
    },
  ];
};

const countedAlarms = ({ deployment }: Watched): readonly AlarmPlan[] =>
  countedCodes.map((code) => ({
    name: code.replace('.', '-'),
    sentence: counted[code].sentence,
    runbookHeading: counted[code].heading,
    metric: countedMetric(code, deployment),
    threshold: 1,
  }));

/** How often a log code was logged, over five minutes. */
export const countedMetric = (code: (typeof countedCodes)[number], deployment: string): Metric =>
  new Metric({ namespace: `${counted.namespace}/${deployment}`, metricName: counted[code].metric, ...sum });

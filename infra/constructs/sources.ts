import { Duration, Stack } from 'aws-cdk-lib';
import { type EventBus, EventField, type IRuleTarget, Match, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterRule, type Function as Lambda, MetricType, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { buses } from '../../events/catalogue.ts';
import { sourceOf } from '../vouchers.ts';

/** Runs the function for messages of the queue and takes back single messages, never whole batches. */
export const consumeQueue = (
  scope: Construct,
  id: string,
  { target, queue, batchMax, concurrencyMax }: { target: Lambda; queue: IQueue; batchMax: number; concurrencyMax: number | undefined },
): EventSourceMapping =>
  new EventSourceMapping(scope, id, {
    target,
    eventSourceArn: queue.queueArn,
    batchSize: batchMax,
    reportBatchItemFailures: true,
    // Not reserved concurrency: that would be taken from the account's pool, of which a new account has only ten.
    ...(concurrencyMax !== undefined && { maxConcurrency: concurrencyMax }),
  });

/** Runs the function for rows that emit, in the order of their commits. */
export const followStream = (
  scope: Construct,
  id: string,
  { target, streamArn, lateBucketArn }: { target: Lambda; streamArn: string; lateBucketArn: string },
): EventSourceMapping =>
  new EventSourceMapping(scope, id, {
    target,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 100,
    reportBatchItemFailures: true,
    // `emits` is set with events, and for what goes into the audit; history and audit rows, which the consumer itself
    // writes, never come back to it.
    filters: [{ pattern: JSON.stringify({ dynamodb: { NewImage: { emits: { N: FilterRule.exists() } } } }) }],
    // A transient failure is retried without end; an hour before a record would leave the stream it goes to the bucket
    // instead.
    retryAttempts: -1,
    maxRecordAge: Duration.hours(23),
    onFailure: { bind: () => ({ destination: lateBucketArn }) },
    supportS3OnFailureDestination: true,
    metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
  });

/** Starts the function every minute; a start that fails is not tried again, since the next one is on its way. */
export function startEveryMinute(scope: Construct, id: string, { target, undelivered }: { target: Lambda; undelivered: IQueue }): Rule {
  const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  target.configureAsyncInvoke({ ...once, onFailure: { bind: () => ({ destination: undelivered.queueArn }) } });
  return new Rule(scope, id, {
    description: 'Muster: the sweep, which sends itself the rest of the minute',
    schedule: Schedule.rate(Duration.minutes(1)),
    targets: [new LambdaFunction(target, { ...once, deadLetterQueue: undelivered })],
  });
}

/** Hands every conclusion of the bus to the queue: its envelope alone. */
export const hearBus = (
  scope: Construct,
  id: string,
  { bus, queue, undelivered }: { bus: EventBus; queue: IQueue; undelivered: IQueue },
): Rule =>
  new Rule(scope, id, {
    description: 'Muster: events that may be delivered to webhooks',
    eventBus: bus,
    eventPattern: { source: [buses.out.source] },
    targets: [new SqsQueue(queue, { message: RuleTargetInput.fromEventPath('$.detail'), deadLetterQueue: undelivered, ...persistently })],
  });

/** As long and as often as EventBridge offers. */
const persistently = { retryAttempts: 185, maxEventAge: Duration.hours(24) };

/**
 * Hands reports that automation puts on the ingest bus to the queue that carries them: the detail alone, as our doors
 * would send it. One without a `type` is handed on by no rule: it could look like what the rule of a sender writes
 * ({@link carryFromVoucher}), which has none.
 */
export const carryFromBus = (
  scope: Construct,
  id: string,
  { bus, types, queue, undelivered }: { bus: EventBus; types: readonly string[]; queue: IQueue; undelivered: IQueue },
): Rule =>
  new Rule(scope, id, {
    description: 'Muster: reports from automation',
    eventBus: bus,
    eventPattern: { source: [buses.ingest.source], detailType: [...types], detail: { type: Match.exists() } },
    targets: [
      new SqsQueue(queue, {
        message: RuleTargetInput.fromEventPath('$.detail'),
        deadLetterQueue: undelivered,
        ...persistently,
      }),
    ],
  });

/**
 * As soon as EventBridge gives up at the earliest: what a sender has said of a node's life is worth nothing once a
 * lease is over, and is then not handed on but seen by whoever looks at what was undelivered.
 */
const soon = { retryAttempts: 5, maxEventAge: Duration.minutes(1) };

/**
 * Hands what one sender vouches for in one zone to the queue that carries it, with who the sender is, which zone is
 * its, and when the bus took it.
 */
export const carryFromVoucher = (
  scope: Construct,
  id: string,
  {
    bus,
    voucher: { sender, zone },
    types,
    queue,
    undelivered,
  }: {
    bus: EventBus;
    voucher: { readonly sender: string; readonly zone: string };
    types: readonly string[];
    queue: IQueue;
    undelivered: IQueue;
  },
): Rule =>
  new Rule(scope, id, {
    description: `Muster: nodes of ${zone} that ${sender} vouches for`,
    eventBus: bus,
    eventPattern: { source: [sourceOf(sender, zone)], detailType: [...types] },
    targets: [
      handingTo(queue, {
        // The moment is the bus's own, which no sender can set
        // (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html#eb-transform-input-predefined).
        input: RuleTargetInput.fromObject({
          vouched: { by: sender, zone, at: '<aws.events.event.ingestion-time>' },
          report: EventField.fromPath('$.detail'),
        }),
        undelivered,
      }),
    ],
  });

/**
 * A queue as the target of a rule that says nothing in the queue's policy ({@link takeFromRules} does for all of them):
 * a statement for each of many rules would not fit.
 */
const handingTo = (queue: IQueue, { input, undelivered }: { input: RuleTargetInput; undelivered: IQueue }): IRuleTarget => ({
  bind: () => ({
    arn: queue.queueArn,
    input,
    targetResource: queue,
    deadLetterConfig: { arn: undelivered.queueArn },
    retryPolicy: { maximumRetryAttempts: soon.retryAttempts, maximumEventAgeInSeconds: soon.maxEventAge.toSeconds() },
  }),
});

/**
 * Lets every rule of the bus, and nobody else by this, hand events to the queue: one statement, however many there are.
 */
export function takeFromRules(queue: Queue, bus: EventBus): void {
  const rules = Stack.of(bus).formatArn({ service: 'events', resource: 'rule', resourceName: `${bus.eventBusName}/*` });
  queue.addToResourcePolicy(
    new PolicyStatement({
      sid: 'RulesOfTheIngestBus',
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnLike: { 'aws:SourceArn': rules } },
    }),
  );
}

import { Duration, Stack } from 'aws-cdk-lib';
import { type EventBus, EventField, type IRuleTarget, Match, Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterRule, type Function as Lambda, MetricType, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { buses } from '../../events/catalogue.ts';
import { sourceOf } from '../vouchers.ts';

/** Runs the function for messages of the queue. Single failed messages return to the queue, never whole batches. */
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
    // Not reserved concurrency: that would come from the account's pool, and a new account has only ten.
    ...(concurrencyMax !== undefined && { maxConcurrency: concurrencyMax }),
  });

/**
 * The commits that a mapping hands over, by their attribute `emits` (lib/ports/table/table.ts): those with something to
 * publish at once, and those of client systems alone together, as many as come in `windowSeconds`. That one commit in
 * the journal is for all of them is what keeps it cheap.
 */
export type Emitted = { readonly emits: 1 | 2; readonly batchMax: number; readonly windowSeconds: number };

/** Events are handed over at once. */
export const eventful: Emitted = { emits: 1, batchMax: 100, windowSeconds: 0 };
/** The search index may learn of a sign of life some seconds later. */
export const silent: Emitted = { emits: 2, batchMax: 1_000, windowSeconds: 10 };

/** Runs the function for rows that emit, in the order of their commits. */
export const consumeStream = (
  scope: Construct,
  id: string,
  { target, streamArn, lateBucketArn }: { target: Lambda; streamArn: string; lateBucketArn: string },
  { emits, batchMax, windowSeconds }: Emitted,
): EventSourceMapping =>
  new EventSourceMapping(scope, id, {
    target,
    eventSourceArn: streamArn,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: batchMax,
    maxBatchingWindow: Duration.seconds(windowSeconds),
    reportBatchItemFailures: true,
    // The rows that the consumer itself writes have no `emits`, and never come back to it.
    filters: [{ pattern: JSON.stringify({ dynamodb: { NewImage: { emits: { N: FilterRule.isEqual(String(emits)) } } } }) }],
    // A transient failure is retried without end. An hour before a record would leave the stream, it goes to the bucket
    // instead.
    retryAttempts: -1,
    maxRecordAge: Duration.hours(23),
    onFailure: { bind: () => ({ destination: lateBucketArn }) },
    supportS3OnFailureDestination: true,
    metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
  });

/** Starts the function so often. A failed start is not retried, since the next one comes soon. */
export function startEvery(
  scope: Construct,
  id: string,
  { name, target, undelivered, everySeconds }: { name: string; target: Lambda; undelivered: IQueue; everySeconds: number },
): Rule {
  const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  target.configureAsyncInvoke({ ...once, onFailure: { bind: () => ({ destination: undelivered.queueArn }) } });
  return new Rule(scope, id, {
    description: `Muster: starts ${name}`,
    schedule: Schedule.rate(Duration.seconds(everySeconds)),
    targets: [new LambdaFunction(target, { ...once, deadLetterQueue: undelivered })],
  });
}

/** Hands every conclusion of the bus to the queue: only its envelope. */
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
 * Hands reports that automation puts on the ingest bus to the queue that carries them: only the detail, as our
 * endpoints would send it. No rule hands on a report without a `type`: it could imitate the messages of
 * {@link carryFromVoucher}, which have none.
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
 * The shortest that EventBridge allows. A report on a node's liveness is worthless once a lease is over; it then goes
 * to the queue of undelivered messages, where operators see it.
 */
const soon = { retryAttempts: 5, maxEventAge: Duration.minutes(1) };

/**
 * Hands the reports of one sender that vouches for nodes of one zone to the queue that carries them, with the sender,
 * its zone, and when the bus took the report.
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
 * A queue as the target of a rule, without a statement in the queue's policy: a statement for each of many rules would
 * not fit. {@link takeFromRules} adds one statement for all of them.
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

/** Lets the rules of the bus hand events to the queue: one statement, however many rules there are. */
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

import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { QueueWiring } from '../wiring.ts';

/** AWS asks for six times the consumer's timeout, so that a throttled retry never delivers a message twice at once. */
export const visibilityFactor = 6;

/** Two weeks, the longest SQS offers: dead letters wait for a person. */
const deadRetention = Duration.days(14);

/**
 * A queue of the wiring with its dead-letter queue: the net for crashes, since a message that a function can judge
 * becomes a `dead#` row.
 */
export class WiredQueue extends Construct {
  readonly queue: Queue;
  readonly dead: Queue;

  constructor(scope: Construct, id: string, wiring: QueueWiring, consumerTimeoutSeconds: number) {
    super(scope, id);
    this.dead = deadLetters(this, 'Dead');
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.seconds(wiring.retentionSeconds),
      visibilityTimeout: Duration.seconds(visibilityFactor * consumerTimeoutSeconds),
      deadLetterQueue: { queue: this.dead, maxReceiveCount: wiring.receivesMax },
    });
  }
}

/** A queue for messages that could not be delivered. */
export const deadLetters = (scope: Construct, id: string): Queue =>
  new Queue(scope, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod: deadRetention });

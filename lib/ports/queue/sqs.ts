import { GetQueueAttributesCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { askService } from '../aws/ask-service.ts';
import { refuseUnsendable } from './limits.ts';
import type { Queue, QueueDepth } from './queue.ts';

const depthAttributes = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesDelayed',
  'ApproximateNumberOfMessagesNotVisible',
] as const;

/**
 * The queues in SQS, by the URLs of those that this function may send to or inspect; its role decides which of the two.
 * The attribute `via` distinguishes our messages from those that a rule of the ingest bus hands on, which have none;
 * `letter` goes with a dead letter that is given back. Sending throws {@link Later} for transient failures, and an
 * Error for a queue that has no URL.
 */
export const sqsQueue = ({ client, urls }: { client: SQSClient; urls: Readonly<Record<string, string>> }): Queue => ({
  send: async (queue, body, { delayMs = 0, letter } = {}) => {
    const url = urls[queue];
    if (!url) throw new Error(`the wiring does not let this function send to ${queue}`);
    refuseUnsendable(queue, body, delayMs);
    const send = new SendMessageCommand({
      QueueUrl: url,
      MessageBody: body,
      MessageAttributes: {
        via: { DataType: 'String', StringValue: 'door' },
        ...(letter && { letter: { DataType: 'String', StringValue: JSON.stringify(letter) } }),
      },
      // SQS counts whole seconds; a message must not become visible too soon.
      DelaySeconds: Math.ceil(delayMs / 1000),
    });
    await askService(`send to ${queue}`, client.send(send));
  },
  depth: async (queue) => {
    const url = urls[queue];
    if (!url) throw new Error(`the wiring does not let this function inspect ${queue}`);
    const look = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...depthAttributes] });
    const { Attributes = {} } = await askService(`inspect ${queue}`, client.send(look));
    const [visible, delayed, hidden] = depthAttributes.map((name) => Number(Attributes[name] ?? 0)) as [number, number, number];
    return { messages: visible + delayed + hidden, delayed, hidden } satisfies QueueDepth;
  },
});

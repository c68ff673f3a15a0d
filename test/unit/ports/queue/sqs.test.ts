import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, test } from 'vitest';
import type { Queue } from '../../../../lib/ports/queue/queue.ts';
import { sqsQueue } from '../../../../lib/ports/queue/sqs.ts';
import { noon } from '../../../../tools/support/a-row.ts';
import { type Answer, type CannedService, cannedService, refusal } from '../../../support/canned-service.ts';

let service: CannedService;
afterEach(() => service.close());

async function queueThatMeets(answer: Answer): Promise<Queue> {
  service = await cannedService(answer);
  return sqsQueue({ client: new SQSClient({ ...service.client, md5: false }), urls: { reports: `${service.client.endpoint}/1/reports` } });
}

describe('a message to SQS', () => {
  test('says that a door sent it, and is delayed by whole seconds, never too few', async () => {
    const queue = await queueThatMeets({ body: { MessageId: '1' } });
    await queue.send('reports', 'a report', { delayMs: 4_001 });
    expect(service.asked).toEqual([
      {
        operation: 'SendMessage',
        body: {
          QueueUrl: `${service.client.endpoint}/1/reports`,
          MessageBody: 'a report',
          MessageAttributes: { via: { DataType: 'String', StringValue: 'door' } },
          DelaySeconds: 5,
        },
      },
    ]);
  });

  test('has its letter with it when it is a dead one given back', async () => {
    const queue = await queueThatMeets({ body: { MessageId: '1' } });
    await queue.send('reports', 'a report', { letter: { id: 'm1', attempt: 1, via: 'bus', sentAt: noon } });
    expect(service.asked[0]).toMatchObject({
      body: {
        MessageAttributes: {
          via: { DataType: 'String', StringValue: 'door' },
          letter: { DataType: 'String', StringValue: `{"id":"m1","attempt":1,"via":"bus","sentAt":${noon}}` },
        },
      },
    });
  });

  test('that is not taken by a transient failure can be sent later', async () => {
    const queue = await queueThatMeets(refusal('RequestThrottled'));
    await expect(queue.send('reports', 'a report')).rejects.toMatchObject({ code: 'service.busy', retry: 'later' });
  });

  test('to a queue that the wiring does not give us is refused, naming it', async () => {
    const queue = await queueThatMeets({ body: {} });
    await expect(queue.send('sweeps', 'again')).rejects.toThrow('sweeps');
    expect(service.asked).toEqual([]);
  });

  test('that SQS would refuse is not sent', async () => {
    const queue = await queueThatMeets({ body: {} });
    await expect(queue.send('reports', '')).rejects.toMatchObject({ code: 'queue.refused' });
    expect(service.asked).toEqual([]);
  });
});

describe('the depth of a queue in SQS', () => {
  test('is about what is visible, delayed and hidden, without an age', async () => {
    const [ApproximateNumberOfMessages, ApproximateNumberOfMessagesDelayed, ApproximateNumberOfMessagesNotVisible] = ['3', '1', '2'];
    const Attributes = { ApproximateNumberOfMessages, ApproximateNumberOfMessagesDelayed, ApproximateNumberOfMessagesNotVisible };
    const queue = await queueThatMeets({ body: { Attributes } });
    expect(await queue.depth('reports')).toEqual({ messages: 6, delayed: 1, hidden: 2 });
    expect(service.asked).toEqual([
      {
        operation: 'GetQueueAttributes',
        body: { QueueUrl: `${service.client.endpoint}/1/reports`, AttributeNames: Object.keys(Attributes) },
      },
    ]);
  });

  test('is not asked of one that the wiring does not give us', async () => {
    const queue = await queueThatMeets({ body: {} });
    await expect(queue.depth('sweeps')).rejects.toThrow('sweeps');
    expect(service.asked).toEqual([]);
  });
});

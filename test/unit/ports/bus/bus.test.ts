import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { afterEach, describe, expect, test } from 'vitest';
import type { Bus, Envelope } from '../../../../lib/ports/bus/bus.ts';
import { eventBridgeBus } from '../../../../lib/ports/bus/eventbridge.ts';
import { memoryBus } from '../../../../lib/ports/bus/memory.ts';
import { type Answer, type CannedService, cannedService, refusal } from '../../../support/canned-service.ts';

const anEvent = (n: number, data: object = {}): Envelope => ({
  specversion: '1.0',
  id: `node/n1#${n}`,
  source: 'muster/test',
  type: 'node.joined',
  subject: 'node/n1',
  time: '2026-01-01T12:00:00.000Z',
  dataschema: 'muster:node.joined:1',
  datacontenttype: 'application/json',
  eventseq: n,
  because: 'its boot is acknowledged',
  data,
});
const many = (count: number): Envelope[] => Array.from({ length: count }, (_, n) => anEvent(n));

describe('the bus in EventBridge', () => {
  let service: CannedService;
  afterEach(() => service.close());
  const busThatMeets = async (...answers: Answer[]): Promise<Bus> => {
    service = await cannedService(...answers);
    return eventBridgeBus({ client: new EventBridgeClient(service.client), busName: 'muster' });
  };
  /** The numbers of the events in each call. */
  const sent = (): number[][] =>
    service.asked.map(({ body }) =>
      (body['Entries'] as { Detail: string }[]).map(({ Detail }) => (JSON.parse(Detail) as Envelope).eventseq),
    );

  test('gets the whole envelope, under the type that rules match', async () => {
    const bus = await busThatMeets({ body: { FailedEntryCount: 0, Entries: [{ EventId: '1' }] } });
    await bus.publish([anEvent(7, { n: 1 })]);
    expect(service.asked[0]).toEqual({
      operation: 'PutEvents',
      body: {
        Entries: [{ EventBusName: 'muster', Source: 'muster', DetailType: 'node.joined', Detail: JSON.stringify(anEvent(7, { n: 1 })) }],
      },
    });
  });

  test('gets ten at a time, and fewer when they are large', async () => {
    const bus = await busThatMeets({ body: { FailedEntryCount: 0, Entries: [] } });
    await bus.publish(many(23));
    expect(sent().map((call) => call.length)).toEqual([10, 10, 3]);
    await bus.publish([0, 1, 2].map((n) => anEvent(n, { text: 'x'.repeat(100_000) })));
    expect(sent().slice(3)).toEqual([[0, 1], [2]]);
    await bus.publish([]);
    expect(sent()).toHaveLength(5);
  });

  test('gets again what it refused, and only that', async () => {
    const refused = { ErrorCode: 'ThrottlingException' };
    const bus = await busThatMeets(
      { body: { FailedEntryCount: 2, Entries: [{ EventId: '0' }, refused, { EventId: '2' }, refused] } },
      { body: { FailedEntryCount: 1, Entries: [refused, { EventId: '3' }] } },
      { body: { FailedEntryCount: 0, Entries: [{ EventId: '1' }] } },
    );
    await bus.publish(many(4));
    expect(sent()).toEqual([[0, 1, 2, 3], [1, 3], [1]]);
  });

  test('that refuses to the last is transient that names why, after all others were sent', async () => {
    const bus = await busThatMeets({ body: { FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }] } });
    await expect(bus.publish(many(11))).rejects.toMatchObject({
      code: 'bus.refused',
      retry: 'later',
      message: expect.stringContaining('InternalFailure'),
    });
    expect(sent().map((call) => call[0])).toEqual([0, 0, 0, 10, 10, 10]);
  });

  test.each(['MalformedDetail', 'InvalidArgument'])('that refuses an event as %s will never take it', async (code) => {
    const bus = await busThatMeets({ body: { FailedEntryCount: 1, Entries: [{ ErrorCode: code }] } });
    await expect(bus.publish(many(1))).rejects.toMatchObject({ code: 'bus.refused', retry: 'never' });
  });

  test.each([
    { what: 'a ValidationException', answer: refusal('ValidationException') },
    { what: 'a 413 without a name', answer: { status: 413, body: {} } },
  ])('that refuses a call by $what will never take it', async ({ answer }) => {
    const bus = await busThatMeets(answer);
    await expect(bus.publish(many(1))).rejects.toMatchObject({ code: 'bus.refused', retry: 'never' });
  });

  test('that lets nobody in may be mended', async () => {
    const bus = await busThatMeets(refusal('AccessDeniedException'));
    await expect(bus.publish(many(1))).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });

  test('that does not answer is transient', async () => {
    const bus = await busThatMeets(refusal('InternalException', {}, 500));
    await expect(bus.publish(many(1))).rejects.toMatchObject({ code: 'service.busy', retry: 'later' });
  });
});

describe('the bus in memory', () => {
  test('keeps what was published, and hands it to every subscriber in order', async () => {
    const bus = memoryBus();
    const heard: string[] = [];
    bus.subscribe(async ({ eventseq }) => void heard.push(`a${eventseq}`));
    const unsubscribe = bus.subscribe(({ eventseq }) => void heard.push(`b${eventseq}`));
    await bus.publish(many(2));
    unsubscribe();
    await bus.publish([anEvent(2)]);
    expect(heard).toEqual(['a0', 'b0', 'a1', 'b1', 'a2']);
    expect(bus.published).toEqual(many(3));
  });

  test('keeps only the newest when told to', async () => {
    const bus = memoryBus(2);
    await bus.publish(many(5));
    expect(bus.published.map(({ eventseq }) => eventseq)).toEqual([3, 4]);
  });

  test('tells the publisher of a subscriber that failed, once all others have heard', async () => {
    const bus = memoryBus();
    const heard: number[] = [];
    bus.subscribe(({ eventseq }) => {
      if (eventseq === 0) throw new Error('not now');
    });
    bus.subscribe(({ eventseq }) => void heard.push(eventseq));
    await expect(bus.publish(many(2))).rejects.toMatchObject({
      code: 'bus.refused',
      retry: 'later',
      message: expect.stringContaining('not now'),
    });
    expect(heard).toEqual([0, 1]);
  });
});

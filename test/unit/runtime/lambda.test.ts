import type { APIGatewayProxyEventV2, Context, DynamoDBStreamEvent, ScheduledEvent, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../lib/ports/queue/queue.ts';
import { attributesOf } from '../../../lib/ports/table/attributes.ts';
import { marshal } from '../../../lib/ports/table/codec.ts';
import type { FeedImage } from '../../../lib/ports/table/table.ts';
import type { HttpRequest, MusterFunction } from '../../../lib/runtime/function.ts';
import { lambda } from '../../../lib/runtime/lambda.ts';
import type { Reply } from '../../../lib/runtime/reply.ts';
import { anEvent, aRow, noon } from '../../../tools/support/a-row.ts';
import { aShell } from '../../../tools/support/a-shell.ts';

const context = { awsRequestId: 'call-7' } as Context;
/** Runs a function as Lambda would. */
const run = (fn: MusterFunction, event: object, shell = aShell()): Promise<unknown> =>
  (lambda(fn, () => shell) as unknown as (event: object, context: Context) => Promise<unknown>)(event, context);

describe('a function on Lambda', () => {
  it('has one shell, made when it is first needed', async () => {
    let made = 0;
    const seen: unknown[] = [];
    const fn: MusterFunction = { on: 'schedule', handle: async (_trigger, shell) => void seen.push(shell) };
    const handler = lambda(fn, () => {
      made += 1;
      return aShell();
    }) as unknown as (event: object, context: Context) => Promise<unknown>;
    expect(made).toBe(0);
    await handler({}, context);
    await handler({}, context);
    expect(made).toBe(1);
    expect(seen[0]).toBe(seen[1]);
  });
});

describe('a call through API Gateway', () => {
  const event = (more: Partial<APIGatewayProxyEventV2> = {}) =>
    ({
      rawPath: '/nodes/n1/up',
      rawQueryString: 'since=7',
      headers: { 'content-type': 'application/json' },
      body: '{"n":1}',
      isBase64Encoded: false,
      requestContext: { http: { method: 'POST', sourceIp: '192.0.2.7' } },
      ...more,
    }) as APIGatewayProxyEventV2;
  const asked = async (sent: APIGatewayProxyEventV2) => {
    const requests: HttpRequest[] = [];
    const handle = (request: HttpRequest): Reply => {
      requests.push(request);
      return { status: 202, headers: { etag: '"1"' }, body: '{"n":2}' };
    };
    const reply = await run({ on: 'route', handle }, sent);
    return { request: requests[0]!, reply };
  };

  it('is what a door sees, and its answer what the caller gets', async () => {
    const { request, reply } = await asked(event());
    const { header, ...rest } = request;
    expect(rest).toEqual({ id: 'call-7', method: 'POST', path: '/nodes/n1/up', query: 'since=7', body: '{"n":1}', source: '192.0.2.7' });
    expect([header('content-type'), header('if-match')]).toEqual(['application/json', undefined]);
    expect(reply).toEqual({
      statusCode: 202,
      headers: { etag: '"1"', 'x-request-id': 'call-7', 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' },
      body: '{"n":2}',
    });
  });

  it('has no body in its answer where it is HEAD', async () => {
    const { request, reply } = await asked(event({ requestContext: { http: { method: 'HEAD', sourceIp: '192.0.2.7' } } } as object));
    expect(request.method).toBe('HEAD');
    expect(reply).toMatchObject({ statusCode: 202, headers: { etag: '"1"' }, body: '' });
  });

  it('is answered with another address, where one route is answered there, too', async () => {
    const shell = aShell({ direct: 'https://abc.lambda-url.eu-central-1.on.aws/' });
    expect(await run({ on: 'route', handle: () => ({ status: 202 }) }, event(), shell)).toMatchObject({
      headers: { 'muster-direct': 'https://abc.lambda-url.eu-central-1.on.aws/' },
    });
  });

  it('has its cookies where API Gateway puts them, or else where the caller did', async () => {
    const headers = { cookie: 'of=a; header=b' };
    const cookieOf = async (more: Partial<APIGatewayProxyEventV2>) => (await asked(event(more))).request.header('cookie');
    expect(await cookieOf({ cookies: ['a=1', 'b=2'] })).toBe('a=1; b=2');
    expect(await cookieOf({ headers })).toBe('of=a; header=b');
    expect(await cookieOf({ cookies: ['a=1'], headers })).toBe('a=1');
    expect(await cookieOf({})).toBeUndefined();
  });

  it('may have no body, or one in base64', async () => {
    const { body: _none, ...without } = event();
    expect((await asked(without as APIGatewayProxyEventV2)).request.body).toBe('');
    const encoded = { body: Buffer.from('{"name":"é"}').toString('base64'), isBase64Encoded: true };
    expect((await asked(event(encoded))).request.body).toBe('{"name":"é"}');
  });
});

describe('messages from SQS', () => {
  const record = (messageId: string, via?: string) => ({
    messageId,
    body: `body of ${messageId}`,
    attributes: { SentTimestamp: String(noon), ApproximateReceiveCount: '3' },
    messageAttributes: via === undefined ? {} : { via: { stringValue: via } },
  });

  it('are our own only when they say so; those that failed are handed back by id', async () => {
    const handed: Message[] = [];
    const handle = async (messages: readonly Message[]) => {
      handed.push(...messages);
      return ['m2'];
    };
    const fn: MusterFunction = { on: 'queue', handle };
    const answer = await run(fn, { Records: [record('m1', 'door'), record('m2'), record('m3', 'somebody')] } as unknown as SQSEvent);
    const message = { sentAt: noon, receives: 3 };
    expect(handed).toEqual([
      { ...message, id: 'm1', body: 'body of m1', via: 'door' },
      { ...message, id: 'm2', body: 'body of m2', via: 'bus' },
      { ...message, id: 'm3', body: 'body of m3', via: 'bus' },
    ]);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm2' }] });
  });

  it('have their letter with them when they are dead ones given back', async () => {
    const handed: Message[] = [];
    const handle = async (messages: readonly Message[]) => {
      handed.push(...messages);
      return [];
    };
    const letter = { id: 'm1', attempt: 1, via: 'bus', sentAt: noon };
    const given = record('m2', 'door');
    const attributes = { ...given.messageAttributes, letter: { stringValue: JSON.stringify(letter) } };
    const records = { Records: [{ ...given, messageAttributes: attributes }] } as unknown as SQSEvent;
    await run({ on: 'queue', handle }, records);
    expect(handed).toEqual([{ id: 'm2', body: 'body of m2', via: 'door', sentAt: noon, receives: 3, letter }]);
  });
});

describe('a schedule', () => {
  it('tells its rule from its own delayed messages', async () => {
    const triggers: string[] = [];
    const fn: MusterFunction = { on: 'schedule', handle: async (trigger) => void triggers.push(trigger) };
    await run(fn, { source: 'aws.events' } as ScheduledEvent);
    await run(fn, { Records: [] } as SQSEvent);
    expect(triggers).toEqual(['rule', 'message']);
  });
});

describe('records of the stream', () => {
  const row = { ...aRow({ events: [anEvent(1)], eventSeq: 1, body: { bytes: new Uint8Array([1, 2]) } }), rev: 4 };
  const record = (more: object) => ({ dynamodb: { SequenceNumber: '111', ...more } });
  const image = record({ NewImage: marshal(attributesOf(row, row.rev)) });

  it('are images in their order; a removed row has none', async () => {
    const images: FeedImage[] = [];
    const fn: MusterFunction = { on: 'feed', handle: async (handed) => void images.push(...handed) };
    const answer = await run(fn, { Records: [image, record({ OldImage: {} })] } as unknown as DynamoDBStreamEvent);
    expect(images).toEqual([{ offset: '111', row }]);
    expect(answer).toEqual({ batchItemFailures: [] });
  });

  it('fail together, so that all come again', async () => {
    const fn: MusterFunction = { on: 'feed', handle: () => Promise.reject(new Error('the bus did not answer')) };
    await expect(run(fn, { Records: [image] })).rejects.toThrow('the bus did not answer');
  });
});

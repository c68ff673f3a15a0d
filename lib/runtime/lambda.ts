import middy from '@middy/core';
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
  ScheduledEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import type { EpochMs } from '../core/time.ts';
import type { Origin } from '../ports/keys/origin.ts';
import type { DeadLetterOrigin, Message } from '../ports/queue/queue.ts';
import { unmarshalRow } from '../ports/table/codec.ts';
import type { FeedImage } from '../ports/table/table.ts';
import { callerOf, hostOf } from './behind-edge.ts';
import { naming } from './direct.ts';
import { encodedReply } from './encode-reply.ts';
import type { FeedFunction, MusterFunction, QueueFunction, RouteFunction, ScheduleFunction } from './function.ts';
import { refuse } from './on-route.ts';
import { sentReply } from './reply.ts';
import type { Shell } from './shell.ts';

/**
 * Binds a function to AWS: the Lambda handler for its source, with a shell made once per environment on first use.
 * `makeOrigin` makes the check that recognises calls through the edge, where there is an edge.
 */
export function lambda(
  declared: MusterFunction,
  makeShell: () => Shell,
  makeOrigin: (shell: Shell) => Origin | undefined = () => undefined,
) {
  const shell = once(makeShell);
  const origin = once(() => makeOrigin(shell()));
  switch (declared.on) {
    case 'route': {
      const routes = once(() => (shell().settings.direct === undefined ? declared : naming(declared, shell().settings.direct!)));
      return middy((event: APIGatewayProxyEventV2, context: Context) => answer(routes(), event, context, shell(), origin()));
    }
    case 'queue':
      return middy((event: SQSEvent) => consume(declared, event, shell()));
    case 'schedule':
      return middy((event: ScheduledEvent | SQSEvent) => run(declared, event, shell()));
    case 'feed':
      return middy((event: DynamoDBStreamEvent) => consumeFeed(declared, event, shell()));
  }
}

/** The value of `make`, made at the first call. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

async function answer(
  fn: RouteFunction,
  event: APIGatewayProxyEventV2,
  context: Context,
  shell: Shell,
  origin: Origin | undefined,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { method } = event.requestContext.http;
  const call = { id: context.awsRequestId, method, path: event.rawPath };
  const reply = await callerOf(event, origin).then(
    (source) => fn.handle({ ...call, ...contentOf(event, origin), source }, shell),
    (error: unknown) => refuse(error, call, shell),
  );
  const { status, body, ...sent } = await encodedReply(sentReply(reply, call.id), event.headers['accept-encoding']);
  const head = { statusCode: status, headers: sent.headers, ...(sent.cookies.length > 0 && { cookies: [...sent.cookies] }) };
  if (method === 'HEAD') return { ...head, body: '' };
  if (typeof body === 'string') return { ...head, body };
  return { ...head, body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
}

const contentOf = (
  { rawQueryString, headers, cookies, body = '', isBase64Encoded }: APIGatewayProxyEventV2,
  origin: Origin | undefined,
) => ({
  query: rawQueryString,
  header: (name: string) => {
    if (name === 'host') return hostOf({ headers }, origin);
    // API Gateway takes cookies out of the headers, each into an element of its own; its emulators leave them there.
    return name === 'cookie' ? (cookies?.join('; ') ?? headers[name]) : headers[name];
  },
  body: isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body,
});

const messageOf = ({ messageId, body, attributes, messageAttributes }: SQSRecord): Message => ({
  id: messageId,
  body,
  via: messageAttributes['via']?.stringValue === 'door' ? 'door' : 'bus',
  sentAt: Number(attributes.SentTimestamp) as EpochMs,
  receives: Number(attributes.ApproximateReceiveCount),
  ...deadLetterOriginOf(messageAttributes['letter']?.stringValue),
});

/** Only senders with access to our queues can set attributes: a rule of the ingest bus cannot. */
const deadLetterOriginOf = (text: string | undefined): Pick<Message, 'letter'> =>
  text === undefined ? {} : { letter: JSON.parse(text) as DeadLetterOrigin };

async function consume(fn: QueueFunction, event: SQSEvent, shell: Shell): Promise<SQSBatchResponse> {
  const failed = await fn.handle(event.Records.map(messageOf), shell);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function run(fn: ScheduleFunction, event: ScheduledEvent | SQSEvent, shell: Shell): Promise<SQSBatchResponse> {
  await fn.handle('Records' in event ? 'message' : 'rule', shell);
  return { batchItemFailures: [] };
}

async function consumeFeed(fn: FeedFunction, event: DynamoDBStreamEvent, shell: Shell): Promise<DynamoDBBatchResponse> {
  const images = event.Records.flatMap((record): FeedImage[] => {
    const image = record.dynamodb?.NewImage;
    return image ? [{ offset: record.dynamodb?.SequenceNumber ?? '', row: unmarshalRow(image as Parameters<typeof unmarshalRow>[0]) }] : [];
  });
  await fn.handle(images, shell);
  return { batchItemFailures: [] };
}

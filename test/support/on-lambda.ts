import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RouteFunction } from '../../lib/runtime/function.ts';
import { lambda } from '../../lib/runtime/lambda.ts';
import type { Shell } from '../../lib/runtime/shell.ts';

/** Functions as they are called on AWS, by API Gateway or by an address of their own, on a port of this machine. */
export type OnLambda = {
  readonly url: string;
  /** Every call so far, such as `GET /system/status`. */
  readonly calls: string[];
  /** Answers everything from now on as AWS does where a function may not run: not as Muster does. */
  throttled: boolean;
  stop(): Promise<void>;
};

type Handler = (event: object, context: object) => Promise<{ statusCode: number; headers: Record<string, string>; body: string }>;

/**
 * Serves these functions in payload format 2.0, each by its Lambda handler; the first whose prefix a path has is
 * called.
 */
export async function onLambda(
  doors: readonly { readonly prefix: string; readonly fn: RouteFunction; readonly shell: Shell }[],
): Promise<OnLambda> {
  const handlers = doors.map(({ prefix, fn, shell }) => ({ prefix, handler: lambda(fn, () => shell) as unknown as Handler }));
  const there = { calls: [] as string[], throttled: false };
  const server = createServer((incoming, response) => {
    void eventOf(incoming).then(async (event) => {
      there.calls.push(`${event.requestContext.http.method} ${event.rawPath}`);
      const handler = handlers.find(({ prefix }) => event.rawPath.startsWith(prefix))?.handler;
      const { statusCode, headers, body } =
        there.throttled || !handler ? refused : await handler(event, { awsRequestId: `call-${there.calls.length}` });
      const hasNone = statusCode === 204 || statusCode === 304;
      response.writeHead(statusCode, headers).end(hasNone ? undefined : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(there, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

/**
 * How a function's address answers when as many run as may
 * (https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html).
 */
const refused = {
  statusCode: 429,
  headers: { 'content-type': 'application/json' },
  body: '{"Reason":"ConcurrentInvocationLimitExceeded","Type":"User","message":"Rate Exceeded."}',
};

async function eventOf(incoming: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const [rawPath = '', rawQueryString = ''] = (incoming.url ?? '').split('?');
  const body = Buffer.concat(chunks).toString('utf8');
  return {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: incoming.headers,
    ...(body !== '' && { body }),
    isBase64Encoded: false,
    requestContext: { http: { method: incoming.method ?? '', sourceIp: incoming.socket.remoteAddress ?? '' } },
  };
}

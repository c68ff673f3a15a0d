import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { bodyBytesMax } from '../../lib/api/json.ts';
import { problemOf, problems, Refusal } from '../../lib/api/problem.ts';
import { clientRoutes } from '../../lib/clients/routes.ts';
import { encodedReply } from '../../lib/runtime/encode-reply.ts';
import type { HttpRequest, MusterFunction, RouteFunction } from '../../lib/runtime/function.ts';
import { type Reply, requestIdHeader, type Sent, sentReply } from '../../lib/runtime/reply.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { type Callers, callersOf } from './callers.ts';
import { limitConnections, limits } from './connections.ts';
import { handlersOf } from './functions.ts';
import { type Listening, onLoopback } from './listening.ts';
import { localRequest, targetOf } from './local-request.ts';
import { replyText } from './plain-call.ts';
import { type PlainAnswer, type PlainLane, plainLane } from './plain-lane.ts';

/**
 * A page or stream that only the embedded host has. `source` is the network address of the caller. Gives true when it
 * took the call.
 */
export type HostRoute = (request: IncomingMessage, response: ServerResponse, path: string, source: string) => boolean;

/**
 * A server, and how to close it: closing takes no more calls, waits for those under way, and cuts off the connections
 * that are not done by then.
 */
export type HttpServer = { readonly server: Server; readonly close: () => Promise<void> };

/**
 * The wired routes over node:http, or over node:https where this host ends TLS; `hostRoutes` are asked first. The
 * server is not listening yet.
 */
export function httpServer(
  functions: ReadonlyMap<string, MusterFunction>,
  shell: Shell,
  hostRoutes: readonly HostRoute[],
  listening: Listening = onLoopback,
): HttpServer {
  const { tls } = listening;
  const way = wayTo(functions, shell, listening);
  const answering = answers(way, hostRoutes);
  const server = tls
    ? createTlsServer({ ...limits, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: limits.headersTimeout }, answering)
    : createServer(limits, answering);
  const lane = plainLane(server, tls ? 'secureConnection' : 'connection', plainAnswers(way));
  limitConnections(server, listening);
  return { server, close: () => closeServer(server, lane) };
}

/** The way of calls to their handlers, the same in both lanes. */
type Way = {
  readonly shell: Shell;
  readonly handlerFor: (path: string) => RouteFunction | undefined;
  readonly callers: Callers;
  /** The headers of every answer that depend on how callers reach this host. */
  readonly headers: Readonly<Record<string, string>>;
};

function wayTo(functions: ReadonlyMap<string, MusterFunction>, shell: Shell, listening: Listening): Way {
  const handlers = handlersOf(functions);
  const isSecure = listening.tls !== undefined || listening.proxies !== undefined;
  return {
    shell,
    handlerFor: (path) => handlers.find(({ prefix, isWhole }) => (isWhole ? path === prefix : path.startsWith(prefix)))?.handler,
    callers: callersOf(listening),
    headers: isSecure ? { 'strict-transport-security': `max-age=${hstsSeconds}` } : {},
  };
}

type Answering = (incoming: IncomingMessage, response: ServerResponse) => void;

function answers({ shell, handlerFor, callers, headers }: Way, hostRoutes: readonly HostRoute[]): Answering {
  return (incoming, response) => {
    const id = shell.newId();
    for (const [name, value] of Object.entries({ ...headers, [requestIdHeader]: id })) response.setHeader(name, value);
    const { path, query } = targetOf(incoming.url ?? '/');
    const source = sourceOr(callers, incoming);
    if (source instanceof Refusal) return refuse(response, source);
    if (hostRoutes.some((route) => route(incoming, response, path, source))) return;
    const handler = handlerFor(path);
    if (!handler) return refuse(response, new Refusal('not-found', `no route has the path ${path}`));
    const call = (body: string): void => answer(handler, localRequest(incoming, { id, path, query, body, source }), shell, response);
    if (incoming.method === 'GET') return call('');
    readBody(incoming, response, call);
  };
}

/** Answers status checks of client systems, which a fleet makes all day; everything else may take longer. */
function plainAnswers({ shell, handlerFor, callers, headers }: Way): PlainAnswer {
  const { path: onlyPath } = clientRoutes.systemStatus;
  const handler = handlerFor(onlyPath);
  const dateNow = httpDates(shell);
  const textOf = (reply: Reply, { id }: HttpRequest): string => {
    const whole = wholeReply(reply, id);
    return replyText(
      { ...whole, headers: { ...headers, [requestIdHeader]: id, ...whole.headers } },
      limits.keepAliveTimeout / 1_000,
      dateNow(),
    );
  };
  return (call, socket) => {
    const { path, query } = targetOf(call.url);
    if (path !== onlyPath || !handler) return undefined;
    const source = sourceOr(callers, { headers: call.headers, socket });
    if (source instanceof Refusal) return undefined;
    const request = localRequest(call, { id: shell.newId(), path, query, body: '', source });
    const reply = replyOf(handler, request, shell);
    return reply instanceof Promise ? reply.then((settled) => textOf(settled, request)) : textOf(reply, request);
  };
}

/** The time as a `date` header has it, made once a second. */
function httpDates(shell: Shell): () => string {
  let [second, text] = [Number.NaN, ''];
  return () => {
    const now = Math.floor(shell.now() / 1_000);
    if (now !== second) [second, text] = [now, new Date(now * 1_000).toUTCString()];
    return text;
  };
}

function sourceOr(callers: Callers, incoming: Parameters<Callers>[0]): string | Refusal {
  try {
    return callers(incoming);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** A year, as is usual: a client that has once reached this host by https does not try http again. */
const hstsSeconds = 365 * 86_400;

/** How long a stop waits for calls under way: none should take longer, and a person may wait for the program to end. */
const answerForMs = 5_000;
/** A connection is kept alive after its call; while the server closes, it is closed this soon after. */
const closeIdleEveryMs = 10;

async function closeServer(server: Server, lane: PlainLane): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  lane.close();
  const closing = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
  const cutting = setTimeout(() => {
    lane.cutOff();
    server.closeAllConnections();
  }, answerForMs);
  await closed;
  clearInterval(closing);
  clearTimeout(cutting);
}

/** The reply of a handler, at once if possible. */
function replyOf(handler: RouteFunction, request: HttpRequest, shell: Shell): Reply | Promise<Reply> {
  const reply = handler.handle(request, shell);
  if (!(reply instanceof Promise)) return reply;
  return reply.catch((error: unknown) => {
    shell.log('error', 'door.failed', { id: request.id, path: request.path, detail: String(error) });
    return refusalReply(
      new Refusal('unexpected', 'an unexpected error occurred: look up the instance of this answer in the log'),
      request.id,
    );
  });
}

function answer(handler: RouteFunction, request: HttpRequest, shell: Shell, response: ServerResponse): void {
  const reply = replyOf(handler, request, shell);
  if (reply instanceof Promise) void reply.then((settled) => sendEncoded(response, settled, request));
  else send(response, reply);
}

/** Sends a reply in the encoding that its caller accepts, if it may be encoded. */
async function sendEncoded(response: ServerResponse, reply: Reply, { id, header }: HttpRequest): Promise<void> {
  if (!reply.mayBeEncoded) return send(response, reply);
  write(response, withLength(await encodedReply(sentReply(reply, id), header('accept-encoding'))));
}

/** A reply as it is sent, with its length where it may have a body. */
const wholeReply = (reply: Reply, id: string): Sent => withLength(sentReply(reply, id));

function withLength(sent: Sent): Sent {
  if (sent.status === 204 || sent.status === 304) return sent;
  return { ...sent, headers: { ...sent.headers, 'content-length': String(Buffer.byteLength(sent.body)) } };
}

/** The id of the call that this response answers, given when the call came. */
export const idOf = (response: ServerResponse): string => String(response.getHeader(requestIdHeader));

const send = (response: ServerResponse, reply: Reply): void => write(response, wholeReply(reply, idOf(response)));

function write(response: ServerResponse, { status, headers, cookies, body }: Sent): void {
  response.writeHead(status, cookies.length > 0 ? { ...headers, 'set-cookie': [...cookies] } : headers);
  response.end(body);
}

const refusalReply = (refusal: Refusal, instance: string): Reply => ({
  status: problems[refusal.type][0],
  headers: { 'content-type': 'application/problem+json', ...refusal.headers },
  body: JSON.stringify(problemOf(refusal, instance)),
});

/** Answers with a refusal, whose `instance` is the id of the call. */
export const refuse = (response: ServerResponse, refusal: Refusal): void => send(response, refusalReply(refusal, idOf(response)));

/** Collects a body of at most 64 KiB; a larger one is answered at once and the connection closed. */
function readBody(incoming: IncomingMessage, response: ServerResponse, then: (body: string) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const tooLarge = (): void => {
    incoming.removeAllListeners('data');
    incoming.resume();
    response.setHeader('connection', 'close');
    refuse(response, new Refusal('too-large', `the body has more than ${bodyBytesMax} bytes`));
  };
  if (Number(incoming.headers['content-length'] ?? 0) > bodyBytesMax) {
    tooLarge();
    return;
  }
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) tooLarge();
    else chunks.push(chunk);
  });
  incoming.on('end', () => {
    if (bytes <= bodyBytesMax) then(Buffer.concat(chunks).toString('utf8'));
  });
}

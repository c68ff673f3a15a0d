import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { bodyBytesMax } from '../lib/api/json.ts';
import { problemOf, problems, Refusal } from '../lib/api/problem.ts';
import type { HttpRequest, MusterFunction, Reply, RouteFunction } from '../lib/runtime/function.ts';
import type { Shell } from '../lib/runtime/shell.ts';
import { type Callers, callersOf } from './callers.ts';
import { limitConnections, limits } from './connections.ts';
import { doorsOf } from './functions.ts';
import { type Listening, onLoopback } from './listening.ts';

/** A page or stream that only the embedded host has, asked for by a caller at the network address `source`; true when it took the call. */
export type HostRoute = (request: IncomingMessage, response: ServerResponse, path: string, source: string) => boolean;

/**
 * The wired routes over node:http, or over node:https where this host ends TLS; `hostRoutes` are asked first. The server is not
 * listening yet.
 */
export function httpServer(
  functions: ReadonlyMap<string, MusterFunction>,
  shell: Shell,
  hostRoutes: readonly HostRoute[],
  listening: Listening = onLoopback,
): Server {
  const answering = answers(functions, shell, hostRoutes, listening);
  const { tls } = listening;
  const server = tls
    ? createTlsServer({ ...limits, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: limits.headersTimeout }, answering)
    : createServer(limits, answering);
  return limitConnections(server, listening);
}

type Answering = (incoming: IncomingMessage, response: ServerResponse) => void;

function answers(
  functions: ReadonlyMap<string, MusterFunction>,
  shell: Shell,
  hostRoutes: readonly HostRoute[],
  listening: Listening,
): Answering {
  const doors = doorsOf(functions);
  const doorFor = (path: string): RouteFunction | undefined => doors.find(({ prefix }) => path.startsWith(prefix))?.door;
  const callers = callersOf(listening);
  const isSecure = listening.tls !== undefined || listening.proxies !== undefined;
  return (incoming, response) => {
    if (isSecure) response.setHeader('strict-transport-security', `max-age=${hstsSeconds}`);
    const url = incoming.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const source = sourceOr(callers, incoming);
    if (source instanceof Refusal) return refuse(response, source);
    if (hostRoutes.some((route) => route(incoming, response, path, source))) return;
    const door = doorFor(path);
    if (!door) return refuse(response, new Refusal('not-found', `there is nothing at ${path}`));
    const query = mark === -1 ? '' : url.slice(mark + 1);
    const call = (body: string): void => answer(door, new LocalRequest(incoming, { path, query, body, source }, shell), shell, response);
    if (incoming.method === 'GET') return call('');
    readBody(incoming, response, call);
  };
}

function sourceOr(callers: Callers, incoming: IncomingMessage): string | Refusal {
  try {
    return callers(incoming);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** For a year, as is usual: who has once reached this host by https does not try without. */
const hstsSeconds = 365 * 86_400;

/** What no answer is without: nobody guesses at its type, and nobody keeps it. */
export const everyAnswer = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** How long a stop waits for calls under way: none should take longer, and nobody likes to wait for a program to end. */
const answerForMs = 5_000;
/** A connection is kept alive after its call; while the server closes, it is closed this soon after. */
const closeIdleEveryMs = 10;

/** Takes no more calls and sees those under way answered; whoever is not done by then is cut off. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  const closing = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
  const cutting = setTimeout(() => server.closeAllConnections(), answerForMs);
  await closed;
  clearInterval(closing);
  clearTimeout(cutting);
}

/** A call as a function sees it; its id is made only when somebody asks for it. */
class LocalRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly source: string;
  readonly #incoming: IncomingMessage;
  readonly #shell: Shell;
  #id: string | undefined;

  constructor(
    incoming: IncomingMessage,
    { path, query, body, source }: Pick<HttpRequest, 'path' | 'query' | 'body' | 'source'>,
    shell: Shell,
  ) {
    this.#incoming = incoming;
    this.#shell = shell;
    this.method = incoming.method ?? 'GET';
    this.path = path;
    this.query = query;
    this.body = body;
    this.source = source;
  }

  get id(): string {
    this.#id ??= this.#shell.newId();
    return this.#id;
  }

  header = (name: string): string | undefined => {
    const value = this.#incoming.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}

function answer(door: RouteFunction, request: HttpRequest, shell: Shell, response: ServerResponse): void {
  const reply = door.handle(request, shell);
  if (reply instanceof Promise)
    reply.then(
      (settled) => send(response, settled),
      (error: unknown) => {
        shell.log('error', 'door.failed', { id: request.id, path: request.path, detail: String(error) });
        refuse(response, new Refusal('unexpected', 'something unexpected happened; the instance names this call in the log'), request.id);
      },
    );
  else send(response, reply);
}

function send(response: ServerResponse, { status, headers, body = '' }: Reply): void {
  const bodyless = status === 204 || status === 304;
  const length = bodyless ? undefined : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...everyAnswer, ...headers, ...length });
  response.end(bodyless ? undefined : body);
}

/** Answers with a refusal; `instance` is the id of the call when somebody has made one. */
export function refuse(response: ServerResponse, refusal: Refusal, instance = 'none'): void {
  const headers = { 'content-type': 'application/problem+json', ...refusal.headers };
  send(response, { status: problems[refusal.type][0], headers, body: JSON.stringify(problemOf(refusal, instance)) });
}

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

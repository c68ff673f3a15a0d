import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { secondMs } from '../../lib/core/time.ts';
import { type Listening, listening } from '../../lib/machine/listening.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import { jsonRoot } from '../../lib/uyuni/gateway/json-call.ts';
import type { Fault } from '../../lib/uyuni/xml-rpc/value.ts';
import { Bodies } from './body.ts';
import type { Clock } from './deadline.ts';
import type { Gateway, Handled, Manner } from './gateway.ts';
import { keyInCookies } from './json-sessions.ts';
import { BrokenOff, faulty } from './merging.ts';
import { jsonReplies, type Replies, xmlRpcReplies } from './replies.ts';
import { failedText, sendAnswer } from './sending.ts';

/** How requests are answered. `strict`: a part of an answer will do for nobody. */
export type Answering = {
  readonly deadlineMs: number;
  readonly strict: boolean;
  readonly clock: Clock;
  /** Gets a line about each call that may change something, or has failed. */
  say(line: string): void;
};

/** Where and how the gateway listens. */
export type ServeOptions = Answering & {
  readonly bind: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
};

/** Where the hub has its interface. */
const hubPath = '/hub/rpc/api';
/** The paths of the interface on a server; programs have the first one built in. */
const paths: ReadonlySet<string> = new Set(['/rpc/api', '/rhn/rpc/api', hubPath]);
/** The shortest and the longest that a caller may have nodes waited for. */
const deadlines = { minMs: 50, maxMs: 600 * secondMs };
const connectionsMax = 2_000;
const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10 * secondMs, requestTimeout: 0, keepAliveTimeout: 15 * secondMs };

/** What answers requests, whatever they come over. */
export function listenerOf(gateway: Gateway, options: Answering): RequestListener {
  const bodies = new Bodies(options.clock);
  return (request, response) => void handled(gateway, bodies, options, request, response);
}

/** Listens. Rejects with an error of the network where that cannot be. */
export async function serve(gateway: Gateway, options: ServeOptions): Promise<Listening> {
  const listener = listenerOf(gateway, options);
  const server: Server = options.tls ? createTlsServer({ ...limits, ...options.tls }, listener) : createServer(limits, listener);
  server.maxConnections = connectionsMax;
  return listening(server, options);
}

async function handled(
  gateway: Gateway,
  bodies: Bodies,
  options: Answering,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = options.clock.now();
  try {
    const refused = refusalOf(request);
    if (refused) return plain(request, response, refused);
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const done = await answered(gateway, bodies, options, request, gone.signal);
    if (done === 'gone') return void response.destroy();
    await sendAnswer(response, done.answer, request.headers['accept-encoding'] ?? '');
    log(options, done, failedText(await done.answer.ends), options.clock.now() - startedAt);
  } catch (error) {
    await brokenOff(error, options, request, response);
  }
}

/** Ends a call that broke off: by a fault as long as nothing was sent, else so that its caller sees no whole answer. */
async function brokenOff(error: unknown, { say }: Answering, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isGone = response.destroyed || request.errored !== null;
  if (!isGone) say(`a call of ${request.socket.remoteAddress} broke off: ${error instanceof Error ? error.message : String(error)}`);
  if (isGone || response.headersSent) return void response.destroy();
  const fault =
    error instanceof BrokenOff
      ? error.fault
      : { code: -1, text: 'unhandled internal exception: the gateway has failed, and its log says why' };
  await sendAnswer(response, faulty(repliesTo(request), fault), '');
}

type Plain = { readonly status: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> };

/** The address of a request: no part of its path is `..`. */
const addressOf = ({ url }: IncomingMessage): URL => URL.parse(url ?? '/', 'http://gateway') ?? new URL('http://gateway');

const isJson = (request: IncomingMessage): boolean => addressOf(request).pathname.startsWith(jsonRoot);
const repliesTo = (request: IncomingMessage): Replies => (isJson(request) ? jsonReplies() : xmlRpcReplies);

function refusalOf(request: IncomingMessage): Plain | undefined {
  const { method } = request;
  if (isJson(request))
    return method === 'GET' || method === 'POST'
      ? undefined
      : { status: 405, text: 'The interface takes GET and POST.\n', headers: { allow: 'GET, POST' } };
  if (!paths.has(addressOf(request).pathname))
    return { status: 404, text: `The interfaces are at /rpc/api, at ${hubPath}, and below ${jsonRoot}.\n` };
  return method === 'POST' ? undefined : { status: 405, text: 'The interface takes XML-RPC by POST.\n', headers: { allow: 'POST' } };
}

function plain(request: IncomingMessage, response: ServerResponse, { status, text, headers = {} }: Plain): void {
  request.resume();
  response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) });
  response.end(request.method === 'HEAD' ? undefined : text);
}

async function answered(
  gateway: Gateway,
  bodies: Bodies,
  options: Answering,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<Handled | 'gone'> {
  const body = await bodies.read(request);
  if (body === 'gone') return body;
  const manner = mannerOf(request, options, signal);
  const refused = (fault: Fault): Handled => ({ writes: false, answer: faulty(repliesTo(request), fault) });
  if ('why' in body) return refused({ ...faults.unreadable(body.why), http: { status: 400 } });
  if ('fault' in manner) return refused(manner.fault);
  const { pathname, search } = addressOf(request);
  if (pathname === hubPath) return gateway.answerAtHub(body.bytes, manner);
  if (!isJson(request)) return gateway.answer(body.bytes, manner);
  const verb = request.method === 'POST' ? 'POST' : 'GET';
  const asked = { verb, path: pathname.slice(jsonRoot.length), query: search.slice(1), body: body.bytes } as const;
  return gateway.answerJson(asked, keyInCookies(request.headers.cookie), manner);
}

function mannerOf({ headers }: IncomingMessage, options: Answering, signal: AbortSignal): Manner | { readonly fault: Fault } {
  const given = headers['x-deadline'];
  const deadlineMs = given === undefined ? options.deadlineMs : /^\d{1,4}(\.\d{1,3})?$/.test(String(given)) ? Number(given) * secondMs : 0;
  if (deadlineMs < deadlines.minMs || deadlineMs > deadlines.maxMs)
    return { fault: { ...faults.invalid('X-Deadline is a number of seconds from 0.05 to 600'), http: { status: 400 } } };
  return { deadlineMs, strict: options.strict || headers['x-strict'] === 'true', signal };
}

/** A line for what may matter later: sign-ins, what may have changed something, and what failed. */
function log({ say }: Answering, { method, login, writes, signedOut = [] }: Handled, failed: string | undefined, ms: number): void {
  if (!writes && failed === undefined) return;
  const left = failedText(signedOut);
  const what = `${failed === undefined ? '' : `; incomplete: ${failed}`}${left === undefined ? '' : `; not signed out: ${left}`}`;
  say(`${login ?? '-'} ${method ?? 'unreadable'} ${ms} ms${what}`);
}

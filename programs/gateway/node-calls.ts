import { Agent as HttpAgent, type IncomingMessage, request as overHttp } from 'node:http';
import { Agent as HttpsAgent, request as overHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { secondMs } from '../../lib/core/time.ts';
import { lockedHeader } from '../../lib/uyuni/api/common-writes.ts';
import { callOnward } from '../../lib/uyuni/gateway/call.ts';
import type { GatewayNode } from '../../lib/uyuni/gateway/directory.ts';
import type { Typed } from '../../lib/uyuni/gateway/typed.ts';
import { AnswerRefused } from '../../lib/uyuni/merge/refusal.ts';

/**
 * A call for a node: its document, and whether the method only reads, so that it may be sent a second time. `json`: it
 * goes to the JSON interface, at a path with its query, with the key of a session in its cookie.
 */
export type Outgoing = {
  readonly document: string | Uint8Array;
  readonly reads: boolean;
  readonly json?: { readonly verb: 'GET' | 'POST'; readonly path: string; readonly key: string | undefined };
};

/** Calls of a method by XML-RPC, under the name that was sent. */
export const xmlRpcOutgoing =
  (sent: string, reads: boolean) =>
  (params: readonly Typed[], key: string | undefined): Outgoing => {
    const own: Typed[] = key === undefined ? [] : [{ type: 'string', text: key }];
    return { document: callOnward(sent, [...own, ...params]), reads };
  };

/**
 * Sends a call to a node; gives its answer in parts, decoded, once it begins. Rejects where none does, with
 * {@link AnswerRefused} where the JSON interface refuses the call by its status, and with {@link LockedOut} where the
 * server's agent has not let it through.
 */
export type CallNode = (node: GatewayNode, call: Outgoing, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

/**
 * The agent of a server has not let a call through, since common content is locked there. It was not carried out, and
 * may be sent again.
 */
export class LockedOut extends Error {
  override readonly name = 'LockedOut';
  /** What was answered, as {@link CallNode} gives it; call this or `forget`. */
  readonly answer: () => Promise<AsyncIterable<Uint8Array>>;
  /** Lets go of the connection. */
  readonly forget: () => void;

  constructor(answer: () => Promise<AsyncIterable<Uint8Array>>, forget: () => void) {
    super('common content is locked there');
    this.answer = answer;
    this.forget = forget;
  }
}

/** The cookie with the key of a session, of servers and of the gateway. */
export const sessionCookie = 'pxt-session-cookie';

/** Connections to one node. Apache has 256 workers, which serve people as well. */
const socketsMax = 64;
/** Shorter than any server rests a connection (Apache's default is 5 s): one that is used was not just closed. */
const restMs = 4 * secondMs;
/** The longest page with which the JSON interface refuses a call. */
const refusalBytesMax = 64 * 1024;

/** Calls nodes over connections that are kept. `ca`: certificates in PEM that are trusted besides the usual ones. */
export function nodeCalls(ca: string | undefined): { readonly call: CallNode; close(): void } {
  const options = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: socketsMax, timeout: restMs, scheduling: 'lifo' } as const;
  const agents = { http: new HttpAgent(options), https: new HttpsAgent({ ...options, ...(ca !== undefined && { ca }) }) };
  return {
    call: async (node, call, signal) => {
      const response = await answerOf(node, call, signal, agents);
      if (response.headers[lockedHeader] === undefined) return bodyOf(response, call);
      throw new LockedOut(
        () => bodyOf(response, call),
        () => response.resume(),
      );
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type Agents = { readonly http: HttpAgent; readonly https: HttpsAgent };

/** The answer to a call, which is sent once more where the node closed a resting connection just when it was used. */
async function answerOf(node: GatewayNode, call: Outgoing, signal: AbortSignal, agents: Agents): Promise<IncomingMessage> {
  try {
    return await sent(node, call, signal, agents);
  } catch (error) {
    if (!(error instanceof Stale) || !call.reads || signal.aborted) throw error;
    return sent(node, call, signal, agents);
  }
}

/** A connection that had rested broke before any answer. */
class Stale extends Error {
  override readonly name = 'Stale';
}

function sent({ url }: GatewayNode, call: Outgoing, signal: AbortSignal, { http, https }: Agents): Promise<IncomingMessage> {
  const at = new URL(call.json?.path ?? '/rpc/api', url);
  const isTls = at.protocol === 'https:';
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const options = { method: call.json?.verb ?? 'POST', headers: headersOf(call), agent: isTls ? https : http };
    const request = (isTls ? overHttps : overHttp)(at, options, (response) => {
      response.once('close', () => signal.removeEventListener('abort', giveUp));
      answer = response;
      resolve(response);
    });
    let answer: IncomingMessage | undefined;
    // Node's own option breaks a connection that has just been given back, whose error then ends the program.
    const giveUp = (): void => {
      if (!answer?.complete) request.destroy(new Error('it is not waited for any more'));
    };
    signal.addEventListener('abort', giveUp);
    request.on('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', giveUp);
      const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isStale ? new Stale(error.message, { cause: error }) : error);
    });
    request.end(call.document);
  });
}

function headersOf({ document, json }: Outgoing): Record<string, string | number> {
  const usual = { 'accept-encoding': 'gzip', 'user-agent': 'muster-gateway' };
  if (!json) return { ...usual, 'content-type': 'text/xml', 'content-length': Buffer.byteLength(document) };
  const body = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(document) };
  const cookie = json.key === undefined ? {} : { cookie: `${sessionCookie}=${json.key}` };
  return { ...usual, ...cookie, accept: 'application/json', ...(document.length > 0 || json.verb === 'POST' ? body : {}) };
}

/** The parts of an answer of status 200. Throws an error for any other. */
async function bodyOf(response: IncomingMessage, { json }: Outgoing): Promise<AsyncIterable<Uint8Array>> {
  // A reader gets the error; an answer that was given up has none.
  response.on('error', () => undefined);
  const { statusCode: status = 0 } = response;
  const type = response.headers['content-type'];
  // To a document that it cannot read, a server answers with a failure in JSON; a proxy has a page.
  const isRefusal = json !== undefined && ((status >= 400 && status < 500) || (status === 500 && type?.startsWith('application/json')));
  if (status !== 200 && !isRefusal) {
    response.destroy();
    throw new Error(`it answered with status ${status}`);
  }
  const parts = decoded(response);
  if (isRefusal) throw await refusalOf(status, type, parts);
  return parts;
}

function decoded(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return response;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    response.destroy();
    throw new Error('its answer has an encoding that nobody asked for');
  }
  const decoded = createGunzip();
  decoded.on('error', () => undefined);
  pipeline(response, decoded, () => undefined);
  return decoded;
}

/** What the JSON interface says by a status: no form, no right, no session, or a document that cannot be read. */
async function refusalOf(status: number, type: string | undefined, body: AsyncIterable<Uint8Array>): Promise<AnswerRefused> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes > refusalBytesMax) break;
    parts.push(part);
  }
  const said = Buffer.concat(parts).toString();
  const text = status === 401 ? 'Could not find session: it has ended; sign in again' : said;
  const http = { status, ...(type !== undefined && status !== 401 && { type }) };
  return new AnswerRefused('fault', text, { code: -1, text, http });
}

import { Agent as HttpAgent, type IncomingMessage, request as overHttp } from 'node:http';
import { Agent as HttpsAgent, request as overHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { secondMs } from '../../lib/core/time.ts';
import type { GatewayNode } from '../../lib/uyuni/gateway/directory.ts';

/** A call for a node: its document, and whether the method only reads, so that it may be sent a second time. */
export type Outgoing = { readonly document: string; readonly reads: boolean };

/** Sends a call to a node; gives its answer in parts, decoded, once it begins. Rejects where none does. */
export type CallNode = (node: GatewayNode, call: Outgoing, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

/** Connections to one node. Apache has 256 workers, which serve people as well. */
const socketsMax = 64;
/** Shorter than any server rests a connection (Apache's default is 5 s): one that is used was not just closed. */
const restMs = 4 * secondMs;

/** Calls nodes over connections that are kept. `ca`: certificates in PEM that are trusted besides the usual ones. */
export function nodeCalls(ca: string | undefined): { readonly call: CallNode; close(): void } {
  const options = { keepAlive: true, maxSockets: socketsMax, maxFreeSockets: socketsMax, timeout: restMs, scheduling: 'lifo' } as const;
  const agents = { http: new HttpAgent(options), https: new HttpsAgent({ ...options, ...(ca !== undefined && { ca }) }) };
  return {
    call: async (node, call, signal) => {
      try {
        return bodyOf(await sent(node, call, signal, agents));
      } catch (error) {
        // The node closed a connection that rested, just when it was used again.
        if (!(error instanceof Stale) || !call.reads || signal.aborted) throw error;
        return bodyOf(await sent(node, call, signal, agents));
      }
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** A connection that had rested broke before any answer. */
class Stale extends Error {
  override readonly name = 'Stale';
}

function sent(
  { url }: GatewayNode,
  { document }: Outgoing,
  signal: AbortSignal,
  { http, https }: { readonly http: HttpAgent; readonly https: HttpsAgent },
): Promise<IncomingMessage> {
  const at = new URL('/rpc/api', url);
  const isTls = at.protocol === 'https:';
  const headers = {
    'content-type': 'text/xml',
    'content-length': Buffer.byteLength(document),
    'accept-encoding': 'gzip',
    'user-agent': 'muster-gateway',
  };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const options = { method: 'POST', headers, agent: isTls ? https : http };
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
    request.end(document);
  });
}

/** The parts of an answer of status 200. Throws an error for any other, whose body is not read. */
function bodyOf(response: IncomingMessage): AsyncIterable<Uint8Array> {
  // A reader gets the error; an answer that was given up has none.
  response.on('error', () => undefined);
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`it answered with status ${response.statusCode}`);
  }
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

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { answerBytesMax, type Fetching } from '../../lib/api/client.ts';

/** How calls are sent, and how to close the connections that are kept open between them. */
export type Sockets = { readonly fetching: Fetching; readonly close: () => void };

/**
 * Sends calls by node:http, over at most so many connections to each address. A call costs less than half of what it
 * costs by `fetch`: a load generator shares its processors with the host that it measures.
 */
export function overSockets(connectionsMax: number): Sockets {
  const options = { keepAlive: true, maxSockets: connectionsMax, maxFreeSockets: connectionsMax };
  const [plain, tls] = [new HttpAgent(options), new HttpsAgent(options)];
  const send = (url: string, sent: RequestOptions): ClientRequest =>
    url.startsWith('https:') ? httpsRequest(url, { ...sent, agent: tls }) : httpRequest(url, { ...sent, agent: plain });
  return {
    fetching: async (url, { method, headers, body, signal }) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const answer = await answerTo(send(url, { method, headers: { ...headers, ...length }, signal }), body);
      const status = answer.statusCode ?? 0;
      const text = await textOf(answer);
      return { ok: status >= 200 && status < 300, status, headers: headersOf(answer), text: async () => text };
    },
    close: () => {
      plain.destroy();
      tls.destroy();
    },
  };
}

const answerTo = (call: ClientRequest, body: string | undefined): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    call.once('response', resolve).on('error', reject).end(body);
  });

/** The whole text of an answer. Throws when it is cut off, and when it is longer than an answer of Muster. */
function textOf(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > answerBytesMax) answer.destroy(new RangeError(`the answer has more than ${answerBytesMax} bytes`));
    });
    answer.once('end', () => resolve(Buffer.concat(chunks).toString('utf8'))).on('error', reject);
  });
}

function headersOf({ headers }: IncomingMessage): Headers {
  const all = new Headers();
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) all.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return all;
}

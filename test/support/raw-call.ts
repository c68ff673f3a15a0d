import { request } from 'node:http';
import { connect } from 'node:net';
import { operatorAt } from '../../tools/support/operator.ts';

/** A call as no well-behaved client would make it. */
export type RawCall = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sends the body in chunks, without its length. */
  readonly chunked?: boolean;
};
/** An answer as it came. */
export type RawAnswer = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly text: string };

/** Makes a call exactly as it is given; one of the admin API is the operator's, unless it says otherwise. */
export const rawCall = (url: string, { method = 'GET', path, headers = {}, body, chunked = false }: RawCall): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(url);
    const length = body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const operator = path.startsWith('/api/v1/') ? operatorAt(url) : undefined;
    const bearer = operator === undefined ? {} : { authorization: `Bearer ${operator}` };
    const sent = { host, ...length, ...bearer, ...headers };
    const call = request({ hostname, port, method, path, setHost: false, headers: sent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    call.once('error', reject);
    call.end(body);
  });

/** Writes bytes to the server and ends, and gives all it says until it closes the connection. */
export const rawBytes = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let said = '';
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      said += text;
    });
    socket.once('close', () => resolve(said));
    socket.once('error', reject);
  });

/** A refusal as its status, its type slug and its pointers; throws what is no problem. */
export function refusalIn({ status, headers, text }: RawAnswer): readonly (number | string)[] {
  if (headers['content-type'] !== 'application/problem+json') throw new Error(`no refusal: ${status} ${text}`);
  const { type, errors = [] } = JSON.parse(text) as { type: string; errors?: { pointer: string }[] };
  return [status, type.replace('urn:muster:problem:', ''), ...errors.map(({ pointer }) => pointer)];
}

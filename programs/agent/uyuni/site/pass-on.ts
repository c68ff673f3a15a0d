import { type IncomingHttpHeaders, type IncomingMessage, request as overHttp, type RequestOptions, type ServerResponse } from 'node:http';
import { request as overHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { minuteMs } from '../../../../lib/core/time.ts';
import { plain, send } from './site.ts';

/** Where a call goes on to: its address, method and headers, and what differs from an ordinary call of that address. */
export type Onward = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly options?: RequestOptions & { readonly servername?: string; readonly rejectUnauthorized?: boolean };
};

/** How long an answer may take to begin, and to go on, as Apache lets it on a server (`ProxyTimeout`). */
const silenceMaxMs = 10 * minuteMs;

/** The parts of a body that come from a request. */
export type Parts = AsyncIterable<Uint8Array>;

/**
 * Sends a call on, its body in parts as they come, and its answer back in the same way. `answer` sends what
 * came back. Rejects with what the parts throw; a server that does not answer is a 502.
 */
export async function passOn(
  onward: Onward,
  parts: Parts,
  response: ServerResponse,
  answer: (got: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<void> {
  const { sent, came } = begun(onward);
  // A caller that goes away waits for no answer.
  response.once('close', () => sent.destroy());
  let fault: unknown;
  const watched = async function* () {
    try {
      yield* parts;
    } catch (error) {
      fault = error;
      throw error;
    }
  };
  try {
    // A server may answer before it has read everything, and close.
    const body = pipeline(Readable.from(watched(), { objectMode: false }), sent);
    const got = await Promise.race([came, body.then(() => came)]);
    await answer(got, response);
  } catch (error) {
    if (fault !== undefined) throw fault;
    if (response.headersSent || response.destroyed) response.destroy();
    else send(response, plain(502, `${onward.url.host} does not answer (${codeOf(error)}).\n`), onward.method === 'HEAD');
  }
}

/** A call that has begun, without its body, and what comes back. */
function begun({ url, method, headers, options = {} }: Onward) {
  const call = url.protocol === 'https:' ? overHttps : overHttp;
  const own = { method, headers: headers as IncomingHttpHeaders, setHost: false, timeout: silenceMaxMs };
  // A connection for each call: one that rests may be closed just when it is used again.
  const sent = call(url, { ...own, agent: false, ...options });
  sent.once('timeout', () => sent.destroy(new Error('no answer came in time')));
  const came = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    // More than one may come: a stream that ends too early says so, and its socket as well.
    sent.on('error', reject);
  });
  // It may reject before anybody waits for it.
  came.catch(() => undefined);
  return { sent, came };
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? (error instanceof Error ? error.message : String(error));

/** Headers that are for one connection alone (RFC 9110, 7.6.1). */
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect']);

/** The headers of a message that are for its receiver, by their names, each with all its values. */
export function headersOnward({ headersDistinct }: IncomingMessage): Record<string, string[]> {
  const named = new Set((headersDistinct['connection'] ?? []).flatMap((value) => value.toLowerCase().split(/\s*,\s*/)));
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values]) =>
      values && !ofConnection.has(name) && !named.has(name) ? [[name, values]] : [],
    ),
  );
}

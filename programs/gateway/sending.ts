import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { GatewayEnd } from './asking.ts';
import type { GatewayAnswer } from './merging.ts';

/** Up to this many bytes an answer is sent whole, with what became of its nodes in its headers. */
const wholeBytesMax = 1024 * 1024;
/** Below this many bytes encoding saves nothing. */
const encodedBytesMin = 1_024;

/** The header that names nodes which failed, and systems that Muster does not know; a trailer of an answer in parts. */
const failedHeader = 'x-muster-failed';

/** Sends an answer: as it comes, if it is large. Rejects where the caller has gone, or the answer broke off. */
export async function sendAnswer(response: ServerResponse, { body, ends, http }: GatewayAnswer, acceptEncoding: string): Promise<void> {
  const parts = body[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let bytes = 0;
  let hasEnded = false;
  while (bytes <= wholeBytesMax) {
    const { done, value } = await parts.next();
    if (done) {
      hasEnded = true;
      break;
    }
    first.push(value);
    bytes += value.byteLength;
  }
  const isEncoded = bytes >= encodedBytesMin && takesGzip(acceptEncoding);
  const { status, type, cookies } = http();
  const headers: OutgoingHttpHeaders = {
    'content-type': type,
    ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
    vary: 'accept-encoding',
    // What is read by GET is of one person, and of this moment.
    'cache-control': 'no-store',
    ...(isEncoded && { 'content-encoding': 'gzip' }),
  };
  if (hasEnded) {
    const plain = Buffer.concat(first);
    const sent = isEncoded ? gzipSync(plain, { level: 1 }) : plain;
    response.writeHead(status, { ...headers, ...warningsOf(await ends), 'content-length': sent.byteLength }).end(sent);
    return;
  }
  response.writeHead(status, { ...headers, trailer: failedHeader });
  const all = Readable.from(joined(first, parts), { objectMode: false });
  // Nobody must wait for the end of the trailers where the pieces could not be sent.
  if (isEncoded) await pipeline(all, createGzip({ level: 1 }), response, { end: false });
  else await pipeline(all, response, { end: false });
  const failed = failedText(await ends);
  if (failed !== undefined) response.addTrailers({ [failedHeader]: failed });
  response.end();
}

async function* joined(first: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first;
  try {
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    // The nodes are let go of when the caller has gone.
    await rest.return?.();
  }
}

const takesGzip = (accept: string): boolean => /(^|,)\s*(x-)?gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))[\d.]+\s*)?(,|$)/i.test(accept);

/** At most so many nodes are named in a header, whose length proxies bound. */
const namedMax = 20;

/** Names in a header: what a node sends never gets into one. */
const named = (end: GatewayEnd): string => {
  const name = end.node.replaceAll(/[^\w.:-]/g, '?');
  return end.ok ? `${name};unknown-${end.leftOutOf ?? 'systems'}=${end.leftOut}` : `${name};${end.notAsked ?? end.code}`;
};

/** What a caller must know about an answer that is not complete; undefined for one that is. */
export function failedText(ends: readonly GatewayEnd[]): string | undefined {
  const incomplete = ends.filter((end) => !end.ok || end.leftOut > 0);
  if (incomplete.length === 0) return undefined;
  const more = incomplete.length > namedMax ? [`and ${incomplete.length - namedMax} others`] : [];
  return [...incomplete.slice(0, namedMax).map(named), ...more].join(', ');
}

function warningsOf(ends: readonly GatewayEnd[]): OutgoingHttpHeaders {
  const failed = failedText(ends);
  return failed === undefined ? {} : { warning: `199 muster-gateway "incomplete: ${failed}"`, [failedHeader]: failed };
}

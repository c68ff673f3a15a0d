import { STATUS_CODES } from 'node:http';
import type { Sent } from '../../lib/runtime/reply.ts';

/** A call without a body and without fields about its connection: nearly every one that a fleet makes. */
export type PlainCall = { readonly method: 'GET'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** A request line in its usual form, with a target of visible ASCII characters and without a fragment. */
const requestLine = /GET (\/[!-"$-~]*) HTTP\/1\.1\r\n/y;
/** A field with a value of printable ASCII on one line. */
const fieldLine = /([A-Za-z-]+): ?([!-~](?:[ -~]*[!-~])?)\r\n/y;

/**
 * The fields of a plain call: those that a handler or this host reads, and those that programs and proxies send along.
 * None of them announces a body, ends the connection or asks for another protocol. A call with any other field, or with
 * one twice, is not plain.
 */
const plainFields: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'muster-token', 'muster-lost'],
  ...['user-agent', 'accept', 'accept-encoding', 'accept-language', 'cache-control', 'pragma', 'sec-fetch-mode'],
  ...['forwarded', 'via', 'traceparent', 'tracestate', 'x-real-ip', 'x-request-id'],
  ...['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port'],
]);

/** The longest head of a plain call: a token, a fingerprint and a dozen usual fields are 1 KiB. */
const headBytesMax = 4_096;

/**
 * The plain call that begins at this offset of the text from a connection, as latin1, and where the next one begins;
 * undefined when there is none, or not all of it. It errs on the safe side: node:http would read every call that is
 * read here in the same way.
 */
export function plainCallAt(text: string, from: number): { readonly call: PlainCall; readonly end: number } | undefined {
  requestLine.lastIndex = from;
  const first = requestLine.exec(text);
  if (!first) return undefined;
  const headers: Record<string, string> = {};
  let at = requestLine.lastIndex;
  while (!text.startsWith('\r\n', at)) {
    fieldLine.lastIndex = at;
    const field = fieldLine.exec(text);
    if (!field || fieldLine.lastIndex - from > headBytesMax) return undefined;
    const name = field[1]!.toLowerCase();
    if (!plainFields.has(name) || headers[name] !== undefined) return undefined;
    headers[name] = field[2]!;
    at = fieldLine.lastIndex;
  }
  if (headers['connection'] !== undefined && headers['connection'] !== 'keep-alive') return undefined;
  return { call: { method: 'GET', url: first[1]!, headers }, end: at + 2 };
}

/**
 * The text that node:http would send for this whole reply, at this date, on a connection that is kept open for so long.
 */
export function replyText({ status, headers, body }: Pick<Sent, 'status' | 'headers' | 'body'>, keepAliveS: number, date: string): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  return `${head}Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveS}\r\n\r\n${typeof body === 'string' ? body : Buffer.from(body).toString('utf8')}`;
}

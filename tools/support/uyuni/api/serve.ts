import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { readCall } from '../../../../lib/uyuni/xml-rpc/read.ts';
import { DateTime, type Fault, NotXmlRpc, type Value } from '../../../../lib/uyuni/xml-rpc/value.ts';
import { faultText, responseText } from '../../../../lib/uyuni/xml-rpc/write.ts';
import { type Answering, answer, answerByNames, beginByNames } from './answer.ts';
import { ApiFault, faults } from './faults.ts';
import { pageAt } from './pages.ts';
import { momentOf } from './wanted.ts';

/** The interface of a played server on a loopback port. */
export type Served = { readonly url: string; close(): Promise<void> };

const json = '/rhn/manager/api/';
const cookie = 'pxt-session-cookie';

/** Serves XML-RPC at `/rpc/api`, JSON at `/rhn/manager/api/` and some pages, as a server does. */
export async function serveApi(on: Answering, port = 0): Promise<Served> {
  const server = createServer((request, response) => {
    void handle(on, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(on: Answering, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { troubles } = on;
  const body = (await request.toArray().catch(() => [])).map(String).join('');
  if (troubles.hangs) return;
  if (troubles.delayMs > 0) await sleep(troubles.delayMs);
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://server');
  if (troubles.isAway) response.writeHead(503, { 'content-type': 'text/html' }).end('<html><title>Service Unavailable</title></html>');
  else if (path === '/rpc/api' || path === '/rhn/rpc/api') await xmlRpc(on, request, response, body);
  else if (path.startsWith(json)) await overJson(on, request, response, { path: path.slice(json.length), query, body });
  else if (pageAt(path) !== undefined) sendPage(request, response, pageAt(path)!);
  else response.writeHead(404, { 'content-type': 'text/html' }).end('<html><title>Not Found</title></html>');
}

/** Sends a page, encoded where the browser takes that: what changes pages on their way must decode them. */
function sendPage({ headers }: IncomingMessage, response: ServerResponse, page: string): void {
  const isEncoded = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  const body = isEncoded ? gzipSync(page) : Buffer.from(page);
  const type = { 'content-type': 'text/html;charset=UTF-8', 'content-length': body.byteLength };
  response.writeHead(200, isEncoded ? { ...type, 'content-encoding': 'gzip' } : type).end(body);
}

async function xmlRpc(on: Answering, { method, headers }: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
  if (method === 'GET' || headers['soapaction'] !== undefined) {
    response.writeHead(302, { location: '/rhn/apidoc/index.jsp' }).end();
    return;
  }
  const text = await answerIn(body, on);
  response.writeHead(200, { 'content-type': 'text/xml', 'content-length': Buffer.byteLength(text) }).end(text);
}

async function answerIn(body: string, on: Answering): Promise<string> {
  try {
    const { method, params } = readCall(body);
    return responseText(await answer(on, method, params));
  } catch (error) {
    return faultText(faultOf(error));
  }
}

function faultOf(error: unknown): Fault {
  if (error instanceof ApiFault) return error.fault;
  if (error instanceof NotXmlRpc) return faults.internal(error.message).fault;
  return faults.internal(error instanceof Error ? error.message : String(error)).fault;
}

type Asked = { readonly path: string; readonly query: URLSearchParams; readonly body: string };

async function overJson(on: Answering, request: IncomingMessage, response: ServerResponse, asked: Asked): Promise<void> {
  const reply = (status: number, value: object, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  try {
    const values = valuesOf(asked);
    if (values === undefined) return void reply(400, { success: false, message: 'The body is not a JSON object' });
    if (asked.path === 'auth/login' && request.method === 'POST') {
      const key = await beginByNames(on, values);
      return void reply(200, { success: true }, { 'set-cookie': `${cookie}=${key}; Path=/; Max-Age=3600; HttpOnly` });
    }
    const called = asked.path.replaceAll('/', '.');
    const key = keyIn(request);
    if (/^systems\/keys(\/|$)/.test(asked.path)) return void reply(200, await keysAnswer(on, asked.path, key));
    const value =
      called === 'auth.logout'
        ? await answer(on, called, [key ?? ''])
        : await answerByNames(on, { called, key, isRead: request.method === 'GET', values });
    if (value === undefined)
      reply(400, {
        success: false,
        message: `${request.method} ${called} does not take ${Object.keys(values).join(', ') || 'no arguments'}`,
      });
    else reply(200, { success: true, result: plain(value) });
  } catch (error) {
    const { code, text } = faultOf(error);
    // Who has no session is refused by the filter before the method.
    reply(/Could not find session|Session id/.test(text) ? 401 : 200, {
      success: false,
      message: text,
      ...(code === 2950 && { messages: [text] }),
    });
  }
}

/** What the page of the server calls for keys, since it alone shows fingerprints. */
async function keysAnswer(on: Answering, path: string, key: string | undefined): Promise<object> {
  const [, , id, verb] = path.split('/');
  if (id === undefined) {
    // A caller who may list them by name may see them.
    await answer(on, 'saltkey.pendingList', [key ?? '']);
    return { fingerprints: on.keys.all() };
  }
  await answer(on, `saltkey.${verb}`, [key ?? '', decodeURIComponent(id)]);
  return { success: true };
}

const keyIn = ({ headers }: IncomingMessage): string | undefined =>
  new RegExp(`(?:^|;\\s*)${cookie}=([^;]*)`).exec(headers.cookie ?? '')?.[1];

/** A value of a query as the server reads it: as JSON, in which `#` begins a comment, and else as a text. */
function readLeniently(text: string): Value {
  if (/^"(?:[^"\\]|\\.)*"$/.test(text)) return String(JSON.parse(text));
  const [read = ''] = text.split('#');
  return /^null$/i.test(read.trim()) ? null : read.trimEnd();
}

/** The arguments of a call, from its query and its body; undefined when the body is no JSON object. */
function valuesOf({ query, body }: Asked): Readonly<Record<string, Value>> | undefined {
  const asked: Record<string, Value> = {};
  for (const name of new Set(query.keys())) {
    const all = query.getAll(name).map(readLeniently);
    asked[name] = all.length > 1 ? all : all[0]!;
  }
  if (body === '') return asked;
  try {
    const given: unknown = JSON.parse(body);
    return typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...asked, ...given } : undefined;
  } catch {
    return undefined;
  }
}

/** A value as the JSON interface writes it: a date in ISO 8601. */
function plain(value: Value): unknown {
  if (value instanceof DateTime) return new Date(momentOf(value)).toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
  return value;
}

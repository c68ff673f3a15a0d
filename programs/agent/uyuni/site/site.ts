import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { secondMs } from '../../../../lib/core/time.ts';
import { type Listening, listening } from '../../../../lib/machine/listening.ts';
import type { World } from '../../../../lib/machine/reactor.ts';
import { siteHeaders } from './headers.ts';
import type { SiteAnswer, SiteRequest, SiteRoute } from './route.ts';

/** Calls that go through the site to another server, in parts: whether one is of this kind, and what carries it on. */
export type SitePass = {
  readonly takes: (path: string) => boolean;
  readonly pass: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
};

/** A site that listens. */
export type Site = Listening;

/** The largest body of a request to a page, in bytes. */
export const siteBodyBytesMax = 64 * 1024;
const bodyLimitMs = 10 * secondMs;
/** Apache has up to 256 workers on a server; each has one connection here. */
const connectionsMax = 300;

const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10 * secondMs, requestTimeout: 0, keepAliveTimeout: 5 * secondMs };

/** What the site shows and passes on; `say` gets a line about a fault of ours. */
export type SiteOptions = {
  readonly port: number;
  readonly routes: readonly SiteRoute[];
  readonly passes: readonly SitePass[];
  say(line: string): void;
  /** Runs once after so many ms, unless it is cancelled. */
  readonly after: World['after'];
};

/** Listens for Apache on loopback. Rejects with an error of the network where that cannot be. */
export async function startSite(options: SiteOptions): Promise<Site> {
  const server = createServer(limits, (request, response) => void handled(request, response, options));
  server.maxConnections = connectionsMax;
  return listening(server, { port: options.port, bind: '127.0.0.1' });
}

/** Answers one request. A fault of ours must not end the agent, which renews the lease of the node. */
async function handled(request: IncomingMessage, response: ServerResponse, { routes, passes, say, after }: SiteOptions): Promise<void> {
  try {
    const { pathname } = URL.parse(`http://site${request.url ?? '/'}`) ?? { pathname: '' };
    const pass = passes.find(({ takes }) => takes(pathname));
    if (pass) await pass.pass(request, response);
    else send(response, await answered(request, pathname, { routes, after }), request.method === 'HEAD');
  } catch (error) {
    // A caller that went away in the middle.
    if (request.errored) return void response.destroy();
    say(`the site of cluster mode has failed at ${request.method} ${request.url}: ${String(error)}`);
    if (response.headersSent) response.destroy();
    else send(response, plain(500, 'The agent of Muster has failed: its log says why.\n'), false);
  }
}

/** An answer of plain text. */
export const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): SiteAnswer => ({
  status,
  headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
  body,
});

/** Sends an answer whole, with the headers of the site. */
export function send(response: ServerResponse, { status, headers, body }: SiteAnswer, isHead: boolean): void {
  const all = { ...siteHeaders, ...headers, 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(status, all).end(isHead ? undefined : body);
}

async function answered(
  request: IncomingMessage,
  path: string,
  { routes, after }: Pick<SiteOptions, 'routes' | 'after'>,
): Promise<SiteAnswer> {
  const there = routes.filter((route) => route.path === path);
  if (there.length === 0) return plain(404, `There is no ${path} here.\n`);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const route = there.find((one) => one.method === method);
  if (!route) return plain(405, `${path} takes another method.\n`, { allow: there.map((one) => one.method).join(', ') });
  const body = await bodyOf(request, after);
  if (body === 'too-large') return plain(413, `A body has at most ${siteBodyBytesMax} bytes.\n`, { connection: 'close' });
  if (body === 'cut-off') return plain(408, 'The body did not come.\n', { connection: 'close' });
  return route.answer(requestOf(request, path, route.method, body.text));
}

function requestOf(request: IncomingMessage, path: string, method: string, body: string): SiteRequest {
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
  const query = new URL(`http://site${request.url ?? '/'}`).searchParams;
  return { method, path, query, headers, body };
}

/** The body of a request as a text, unless it is too long or does not come in time. */
function bodyOf(request: IncomingMessage, after: World['after']): Promise<{ readonly text: string } | 'too-large' | 'cut-off'> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const cancel = after(bodyLimitMs, () => over('cut-off'));
    const over = (result: { readonly text: string } | 'too-large' | 'cut-off'): void => {
      cancel();
      request.removeAllListeners('data').pause();
      resolve(result);
    };
    request.on('data', (part: Buffer) => {
      bytes += part.byteLength;
      if (bytes > siteBodyBytesMax) return over('too-large');
      parts.push(part);
    });
    request.once('end', () => over({ text: Buffer.concat(parts).toString('utf8') }));
    request.once('error', () => over('cut-off'));
    request.once('close', () => over('cut-off'));
  });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Bucket, type Rate, take } from '../../../../lib/core/rate.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { siteHeaders } from './headers.ts';
import { headersOnward, type Onward, passOn } from './pass-on.ts';
import { plain, type SitePass, send } from './site.ts';

/** Where Muster's own page is on this server, and what it calls there: its files, the API and its session. */
const below = /^\/muster(\/(?:ui(?:\/.*)?|api\/v1\/.*|session(?:\/(?:end|renew|begin))?))$/;

/** How many calls of pages are on their way at once; a page that shows what happens holds one open. */
const callsMax = 48;
/** Muster counts these calls for the address of this host, whose own calls must not be refused for them. */
const callRate: Rate = { perSecond: 50, burst: 500 };
const bodyBytesMax = 1024 * 1024;

/** What a browser sends that Muster needs. Credentials other than its own session are not passed on. */
const asked = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'content-length',
  'if-match',
  'if-none-match',
  'last-event-id',
];
const ofBrowser = ['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'user-agent'];
/** What Muster answers that a browser needs. */
const answered = [
  'content-type',
  'content-encoding',
  'content-length',
  'etag',
  'vary',
  'retry-after',
  'clear-site-data',
  'x-accel-buffering',
];

/**
 * Muster's own page at `/muster/ui/`, which it serves at `/ui/`, with the calls that the page makes. It is the page as
 * it is; its document and its cookies name the other path. `clusterUi` is where a person signs in at an issuer, which
 * returns a browser to Muster's own address alone.
 */
export function musterPage(endpoint: string, clusterUi: string, now: () => EpochMs): SitePass {
  const base = endpoint.replace(/\/+$/, '');
  let calls = 0;
  let bucket: Bucket | undefined;
  const isOver = (): boolean => {
    const taken = take(bucket, callRate, now());
    bucket = taken.bucket;
    return taken.waitMs > 0 || calls >= callsMax;
  };
  return {
    takes: (path) => below.test(path),
    pass: async (request, response) => {
      const { pathname, search } = new URL(`http://site${request.url ?? '/'}`);
      const path = below.exec(pathname)?.[1] ?? '/ui/';
      const refused = refusalOf(request, path) ?? (isOver() ? tooMany : undefined);
      if (refused) return send(response, refused, false);
      if (path === '/session/begin') return send(response, ledTo(isPath(clusterUi) ? `${base}/ui/` : clusterUi), false);
      if (path === '/ui') return send(response, ledTo('/muster/ui/'), false);
      calls++;
      response.once('close', () => calls--);
      const onward: Onward = { url: new URL(base + path + search), method: request.method ?? 'GET', headers: asksWith(request, base) };
      await passOn(onward, request, response, (got, to) => (isHtml(got) ? sendDocument(got, to) : sendBack(got, to)));
    },
  };
}

const isPath = (address: string): boolean => address.startsWith('/');
const ledTo = (location: string) => plain(302, '', { location });

const tooMany = plain(503, 'Too many pages are open on this server.\n', { 'retry-after': '5' });

/** The answer to a call that Muster would refuse, or that is longer than the agent passes on. */
function refusalOf({ headers }: IncomingMessage, path: string) {
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax) return plain(413, 'The body is too long.\n', { connection: 'close' });
  if (headers['transfer-encoding'] !== undefined) return plain(411, 'A body has a length.\n', { connection: 'close' });
  // Only the page may call with its session: the same rule as at Muster, so that no call of another page reaches it.
  return path.startsWith('/ui') || headers['sec-fetch-site'] === 'same-origin'
    ? undefined
    : plain(403, 'This is for the page of Muster alone.\n');
}

const isHtml = ({ headers }: IncomingMessage): boolean => headers['content-type']?.startsWith('text/html') === true;

function asksWith({ headers }: IncomingMessage, base: string): Record<string, string> {
  const taken = [...asked, ...ofBrowser].flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]] as const] : []));
  const cookie = cookiesOnward(headers.cookie, base.startsWith('https:'));
  return {
    ...Object.fromEntries(taken),
    host: new URL(base).host,
    ...(cookie !== '' && { cookie }),
    // The document is changed below, and so it must be readable.
    ...(headers.accept?.includes('text/html') && { 'accept-encoding': 'identity' }),
  };
}

/**
 * Muster's own cookies under the names that it gave them. Here they are sent to `/muster/` alone, and never to the
 * server; a name that begins with `__Host-` would be sent to every path.
 */
export function cookiesOnward(header: string | undefined, isSecure: boolean): string {
  const pairs = (header ?? '').split(/;\s*/).filter((pair) => /^(__Secure-)?muster-(session|renewal|begun)(-\d+)?=/.test(pair));
  return pairs.map((pair) => (isSecure ? pair.replace(/^__Secure-(muster-(?:session|begun)=)/, '__Host-$1') : pair)).join('; ');
}

/** A cookie that Muster sets, for the paths below `/muster/`. */
export const cookieHere = (cookie: string): string =>
  cookie
    .replace(/^__Host-/, '__Secure-')
    .replace(/;\s*Path=(\/[^;]*)/i, (_whole, path: string) => `; Path=/muster${path === '/' ? '/' : path}`);

function answersWith(got: IncomingMessage): Record<string, string | string[]> {
  const all = headersOnward(got);
  const taken = answered.flatMap((name) => (all[name] ? [[name, all[name].join(', ')] as const] : []));
  const cookies = (got.headers['set-cookie'] ?? []).map(cookieHere);
  const location = all['location']?.[0];
  return {
    ...siteHeaders,
    ...Object.fromEntries(taken),
    'cache-control': all['cache-control']?.join(', ') ?? 'no-store',
    ...(cookies.length > 0 && { 'set-cookie': cookies }),
    // Muster leads to its own page; anywhere else is not for the browser of this page.
    ...(location?.startsWith('/ui/') && { location: `/muster${location}` }),
  };
}

async function sendBack(got: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(got.statusCode ?? 502, answersWith(got));
  response.flushHeaders();
  await pipeline(got, response);
}

const documentBytesMax = 64 * 1024;

/** The document names its files by their whole paths, which are below `/muster/` here. */
async function sendDocument(got: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of got as AsyncIterable<Buffer>) {
    bytes += part.byteLength;
    if (bytes > documentBytesMax) throw new Error('the document of the page is too long');
    parts.push(part);
  }
  const text = Buffer.concat(parts)
    .toString('utf8')
    .replaceAll(/(href|src)="\/ui\//g, '$1="/muster/ui/');
  // Its tag is that of the other text.
  const { etag: _etag, ...headers } = answersWith(got);
  response.writeHead(got.statusCode ?? 502, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
}

import { namesEtag } from '../api/etag.ts';
import { Refusal } from '../api/problem.ts';
import { routeMethod } from '../api/router.ts';
import { type Encoding, encodings, type PageFile } from '../ports/page/pages.ts';
import { acceptedEncoding } from '../runtime/accepted-encoding.ts';
import type { HttpRequest, RouteFunction } from '../runtime/function.ts';
import { limitSource } from '../runtime/limit-callers.ts';
import { refuse } from '../runtime/on-route.ts';
import type { Reply } from '../runtime/reply.ts';
import type { Shell } from '../runtime/shell.ts';
import { pageHeaders } from './headers.ts';
import { fileAt } from './path.ts';

/**
 * The page of Muster, for anyone: its files hold nothing about a deployment. A person who opens the bare address is led
 * to it, and so is one who opens a sign-in link, whose secret is in the part of the address that no browser sends.
 */
export const page: RouteFunction = {
  on: 'route',
  handle: async (request, shell) => {
    try {
      limitSource(shell, request, request.source);
      return await answer(request, shell);
    } catch (error) {
      return refuse(error, request, shell);
    }
  },
};

async function answer(request: HttpRequest, shell: Shell): Promise<Reply> {
  const { method, path } = request;
  if (routeMethod(method) !== 'GET') throw new Refusal('wrong-method', `${path} takes GET, HEAD`, { headers: { allow: 'GET, HEAD' } });
  if (path === '/sign-in') return ledTo('/ui/sign-in');
  if (path === '/' && isBrowser(request)) return { ...ledTo('/ui/'), headers: { ...ledTo('/ui/').headers, vary: 'accept' } };
  // Not a redirect to the path with a slash: API Gateway takes both for one route, and may tell us of either.
  const file = path === '/ui' || path.startsWith('/ui/') ? await found(path, shell) : undefined;
  if (!file) throw new Refusal('not-found', path.startsWith('/ui/') ? `the page has no file ${path}` : `no route has the path ${path}`);
  return sent(file, request);
}

/** Browsers keep the part after `#` of an address when they are led to another. */
const ledTo = (location: string): Reply => ({ status: 302, headers: { ...pageHeaders, location } });

/** Whether the caller shows pages: programs that call an API ask for JSON, or for anything. */
const isBrowser = ({ header }: HttpRequest): boolean => /\btext\/html\b/i.test(header('accept') ?? '');

async function found(path: string, { pages }: Shell): Promise<PageFile | undefined> {
  const name = fileAt(path);
  return name === undefined ? undefined : (await pages?.files())?.get(name);
}

/** A file as it is sent to this caller, encoded if it accepts that; nothing of it when the caller has it already. */
function sent({ type, bytes, encoded, tag, isImmutable }: PageFile, { header }: HttpRequest): Reply {
  const encoding = acceptedEncoding(
    header('accept-encoding'),
    encodings.filter((one) => encoded[one]),
  );
  const etag = `"${tag}${suffixes[encoding ?? 'plain']}"`;
  const headers = {
    ...pageHeaders,
    etag,
    vary: 'accept-encoding',
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (namesEtag(header('if-none-match'), etag)) return { status: 304, headers };
  return {
    status: 200,
    headers: { ...headers, 'content-type': type, ...(encoding && { 'content-encoding': encoding }) },
    bytes: (encoding && encoded[encoding]) ?? bytes,
  };
}

/** Each encoding is a representation of its own, with an ETag of its own (RFC 9110, 8.8.3). */
const suffixes: Readonly<Record<Encoding | 'plain', string>> = { plain: '', br: '-br', gzip: '-gz' };

import type { adminRoutes } from '../../lib/admin-contract.ts';
import type { BodyInputOf, ParamsInputOf, QueryInputOf, ReplyOf } from '../../lib/api/route.ts';
import { mount } from '../mount.ts';
import { routes } from './routes.ts';

type Contract = typeof adminRoutes;
/** The name of a route of the admin API. */
export type RouteName = keyof Contract & keyof typeof routes;
/** The answer of a route, as the contract declares it. */
export type Reply<N extends RouteName> = ReplyOf<Contract[N]>;
/** What is sent: parameters of the path, query and body, by the contract. */
export type Sent<N extends RouteName> = {
  readonly params?: ParamsInputOf<Contract[N]>;
  readonly query?: QueryInputOf<Contract[N]>;
  readonly body?: BodyInputOf<Contract[N]>;
  readonly signal?: AbortSignal;
};

/** A refusal as the server gives it (RFC 9457), or `unreachable` (status 0) when no answer came. */
export class Problem extends Error {
  readonly status: number;
  /** Its type without what all types begin with, such as `unknown-node`. */
  readonly type: string;
  /** The rest of the problem: members that this type has besides. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(status: number, type: string, detail: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(detail);
    this.status = status;
    this.type = type;
    this.fields = fields;
  }
}

/** Method, path with its parameters in braces, and scope of a route. */
export function routeOf(name: RouteName): { readonly method: string; readonly path: string; readonly scope: string } {
  const [method, path, scope] = routes[name].split(' ') as [string, string, string];
  return { method, path, scope };
}

/** Calls a route of the contract. Throws a {@link Problem} for a refusal, and when no answer comes. */
export async function call<N extends RouteName>(name: N, sent: Sent<N> = {}): Promise<Reply<N>> {
  const { method, path } = routeOf(name);
  const { signal } = sent;
  const hasBody = method !== 'GET';
  const headers = hasBody ? { 'content-type': 'application/json' } : {};
  const response = await send(urlOf(path, sent), {
    method,
    headers,
    ...(hasBody && { body: JSON.stringify(sent.body ?? {}) }),
    ...(signal && { signal }),
  });
  return (await read(response)) as Reply<N>;
}

/** Sends a call to this server. Throws a {@link Problem} when no answer comes; an abort stays what it is. */
export async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(mount + url, { ...init, credentials: 'same-origin', redirect: 'error' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Problem(0, 'unreachable', 'Muster does not answer');
  }
}

/** The body of an answer: JSON as a value, text as it is. Throws a {@link Problem} for a refusal. */
export async function read(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  const body: unknown = response.status === 204 ? undefined : type.includes('json') ? await response.json() : await response.text();
  if (response.ok) return body;
  const { type: slug = '', detail, ...fields } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const said = typeof detail === 'string' ? detail : `the answer was ${response.status}`;
  throw new Problem(response.status, String(slug).split(':').at(-1) || 'unexpected', said, fields);
}

/** The URL of a call: the path with its parameters, and the query without what is undefined. */
export function urlOf(path: string, { params, query }: { readonly params?: unknown; readonly query?: unknown }): string {
  const values = (params ?? {}) as Readonly<Record<string, unknown>>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const given = Object.entries((query ?? {}) as Readonly<Record<string, unknown>>).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? filled : `${filled}?${text}`;
}

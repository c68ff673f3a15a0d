import type * as z from 'zod';
import { jsonIn } from '../core/json.ts';
import { type Readable, textWithin } from '../core/limited-text.ts';
import { AnyProblem, type Problem } from './problem.ts';
import type { Route } from './route.ts';

/** The parts of a call: only those that the route has. */
export type Sent<T> =
  T extends Route<infer P, infer Q, infer B, infer _R>
    ? { params?: z.input<P>; query?: z.input<Q>; body?: z.input<B>; headers?: Readonly<Record<string, string>>; signal?: AbortSignal }
    : never;

/** An answer: a success with its body (undefined where it has none), or a refusal. */
export type Answered<T> =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: Headers;
      readonly body: T extends Route<infer _P, infer _Q, infer _B, infer R> ? z.infer<R> : never;
    }
  | { readonly ok: false; readonly status: number; readonly headers: Headers; readonly problem: Problem };

/** Muster could not be reached, or did not answer as Muster does. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/**
 * Calls a deployment by the routes of the contract. Refusals are data; throws {@link Unreachable} when there is no
 * answer.
 */
export type ApiClient = <T extends Route>(route: T, sent?: Sent<T>) => Promise<Answered<T>>;

/**
 * How much of an answer is read, in bytes: more than twice what Lambda sends at the most (6 MB). A server that sends
 * more is not Muster, or is broken, and must not fill the caller's memory.
 */
export const answerBytesMax = 16 * 1024 * 1024;

/** How a call reaches a deployment: `fetch`, as far as a client uses it. */
export type Fetching = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal: AbortSignal;
    /**
     * Muster never redirects a caller: tokens and signatures are for the deployment that was named, and for a function
     * of its own (lib/api/direct.ts).
     */
    readonly redirect: 'manual';
  },
) => Promise<Pick<Response, 'ok' | 'status' | 'headers'> & Readable>;

/** A time limit that never ends, for a network that ends every call by itself. */
const unlimited = new AbortController().signal;

/**
 * A client of the deployment at `base`, such as `http://127.0.0.1:8080`. Every call ends after `timeoutMs`; Infinity
 * sets no limit.
 */
export function apiClient(
  base: string,
  {
    timeoutMs = 30_000,
    headers = {},
    fetching = fetch,
  }: { timeoutMs?: number; headers?: Readonly<Record<string, string>>; fetching?: Fetching } = {},
): ApiClient {
  const root = base.replace(/\/+$/, '');
  return async (route, sent) => {
    const url =
      root +
      pathOf(route, sent?.params as Record<string, unknown> | undefined) +
      queryOf(sent?.query as Record<string, unknown> | undefined);
    const limit = timeoutMs === Number.POSITIVE_INFINITY ? unlimited : AbortSignal.timeout(timeoutMs);
    const call = fetching(url, {
      method: route.method,
      headers: { ...(route.body && { 'content-type': 'application/json' }), ...headers, ...sent?.headers },
      ...(route.body && { body: JSON.stringify(sent?.body ?? {}) }),
      signal: sent?.signal ? AbortSignal.any([sent.signal, limit]) : limit,
      redirect: 'manual',
    });
    // An answer may also be cut off after its head.
    const { response, text } = await call
      .then(async (response) => ({ response, text: await textWithin(response, answerBytesMax) }))
      .catch((error: unknown) => {
        throw new Unreachable(`${route.method} ${url}: ${reasonOf(error)}`, { cause: error });
      });
    return answerOf(route, response, text, url) as Answered<typeof route>;
  };
}

/** The path of a route with its parameters filled in. */
export const pathOf = (route: Route, params: Readonly<Record<string, unknown>> = {}): string =>
  route.path.replace(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(String(params[name] ?? '')));

const queryOf = (query: Readonly<Record<string, unknown>> = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};

function answerOf(route: Route, response: Pick<Response, 'ok' | 'status' | 'headers'>, text: string, url: string) {
  const { status, headers } = response;
  const stranger = () => new Unreachable(`${route.method} ${url} answered ${status}, and not as Muster does`);
  if (response.ok || status === 304) {
    if (status === 204 || status === 304 || !route.reply) return { ok: true, status, headers, body: undefined };
    const body = route.replyType === undefined ? jsonIn(text) : text;
    const read = route.reply.safeParse(body);
    if (!read.success && !read.error.issues.every(isMore)) throw stranger();
    return { ok: true, status, headers, body };
  }
  const problem = AnyProblem.safeParse(jsonIn(text));
  if (!problem.success) throw stranger();
  return { ok: false, status, headers, problem: problem.data };
}

/**
 * A newer Muster may send more than this program knows. An answer with less, or with something else, is not from
 * Muster: it is from a portal, a proxy or another program.
 */
const isMore = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'unrecognized_keys' ||
  (issue.code === 'invalid_union' && issue.errors.some((branch) => branch.length > 0 && branch.every(isMore)));

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause as { code?: string; message?: string } | undefined) : undefined;
  return cause?.code ?? cause?.message ?? (error instanceof Error ? error.message : String(error));
};

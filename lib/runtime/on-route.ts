import * as z from 'zod';
import { parseBody } from '../api/json.ts';
import { problemOf, problems, Refusal, refusalOf } from '../api/problem.ts';
import type { BodyOf, ParamsOf, QueryOf, Route } from '../api/route.ts';
import { router } from '../api/router.ts';
import type { Plan } from '../core/decision.ts';
import { Later } from '../core/errors.ts';
import type { HttpRequest, RouteFunction } from './function.ts';
import { idempotently } from './idempotency.ts';
import { limitCaller, limitSource } from './limit-callers.ts';
import type { Reply } from './reply.ts';
import type { Shell } from './shell.ts';
import type { Anyone, BodyReader, Caller, Verify } from './verify.ts';

/** A parsed call with a verified caller; `C` is the proof of the endpoint's callers. */
export type Call<T extends Route, C extends Caller = Anyone> = {
  readonly params: ParamsOf<T>;
  readonly query: QueryOf<T>;
  readonly body: BodyOf<T>;
  readonly request: HttpRequest;
  readonly caller: C;
};

/** A success: its status, body and headers. `text` is sent as it is. */
export type Answer = {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Each is a `set-cookie` of its own. */
  readonly cookies?: readonly string[];
};

/** One handler a route, by its name in the contract. */
export type Handlers<R extends Readonly<Record<string, Route>>, C extends Caller = Anyone> = {
  readonly [N in keyof R]: (call: Call<R[N], C>, shell: Shell) => Answer | Promise<Answer>;
};

/** What a part of the contract does besides answering its routes. */
type Besides = {
  /** Answers a call before all else, for the one path that must cost next to nothing; undefined declines. */
  readonly quick?: (request: HttpRequest, shell: Shell) => Reply | undefined;
  /**
   * What a call is counted for instead of its network address, where calls are limited; undefined for most. It is asked
   * before anything is verified, so it must cost little.
   */
  readonly countedApart?: (request: HttpRequest, shell: Shell) => Promise<string | undefined>;
  /** Takes note of a call that was refused, before it is answered. */
  readonly onRefused?: (refusal: Refusal, request: HttpRequest, shell: Shell) => Promise<void>;
};

/**
 * Answers the routes of a part of the contract: match, verify, parse, handle. Only here do refusals and failures become
 * problem+json. Changes record the verified caller as their actor.
 */
export function onRoutes<R extends Readonly<Record<string, Route>>, C extends Caller>(
  routes: R,
  handlers: Handlers<R, C>,
  verify: Verify<C>,
  { quick, countedApart, onRefused }: Besides = {},
): RouteFunction {
  const match = router(routes);
  const answer = async (request: HttpRequest, given: Shell): Promise<Reply> => {
    let shell = given;
    try {
      const found = match(request.method, request.path);
      if (!found) throw new Refusal('not-found', `no route has the path ${request.path}`);
      if ('allow' in found)
        throw new Refusal('wrong-method', `${request.path} takes ${found.allow.join(', ')}`, {
          headers: { allow: found.allow.join(', ') },
        });
      const route = routes[found.name]!;
      const apart = shell.settings.rates && countedApart && (await countedApart(request, shell));
      limitSource(shell, route, request.source, apart);
      refuseEncoded(request);
      const bodyFor = bodyReader(request);
      const caller = await verify(request, route, found.params, shell, bodyFor);
      limitCaller(shell, caller);
      if (caller.actor) shell = { ...given, actor: caller.actor };
      const call = parse(route, found.params, request, { caller, bodyFor });
      const handle = async (by: Shell): Promise<Reply> => replyOf(await handlers[found.name]!(call as Call<R[keyof R], C>, by));
      const reply = await idempotently(shell, route, request, handle);
      return (reply.body !== undefined || reply.status === 304) && mayBeEncoded(route) ? { ...reply, mayBeEncoded: true } : reply;
    } catch (error) {
      const refusal = refusalFor(error, request, shell);
      await onRefused?.(refusal, request, given);
      return refused(refusal, request);
    }
  };
  const handle = (request: HttpRequest, shell: Shell): Reply | Promise<Reply> => {
    try {
      return quick?.(request, shell) ?? answer(request, shell);
    } catch (error) {
      return refuse(error, request, shell);
    }
  };
  return { on: 'route', handle };
}

/** The digest and the limit are for the plain body; unpacking 64 KiB could give a gigabyte. */
function refuseEncoded(request: HttpRequest): void {
  const encoding = request.header('content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new Refusal('content-encoding', `the body is encoded as ${encoding}: send it unencoded`);
}

/**
 * Whether answers of a route may be encoded: those of the admin API that hold no secret. An encoded body gives away by
 * its length whether it repeats what the caller sent (https://breachattack.com). Machines have short answers, some with
 * secrets of services.
 */
const mayBeEncoded = ({ scope, secret }: Route): boolean => !secret && scope !== 'node' && scope !== 'client' && scope !== 'anyone';

/** A route that declares no query refuses any. */
const noQuery = z.strictObject({});

function parse<T extends Route, C extends Caller>(
  route: T,
  params: Readonly<Record<string, string>>,
  request: HttpRequest,
  { caller, bodyFor }: { caller: C; bodyFor: BodyReader },
): Call<T, C> {
  const query = queryOf(request.query);
  return {
    params: checked(route.params, params) as ParamsOf<T>,
    query: checked(route.query ?? noQuery, query) as QueryOf<T>,
    body: bodyFor(route),
    request,
    caller,
  };
}

/**
 * The parameters of a query. Throws a {@link Refusal} for a parameter that is given twice: choosing one would be a
 * guess.
 */
function queryOf(text: string): Record<string, string> {
  const given = [...new URLSearchParams(text)];
  const errors = [...Map.groupBy(given, ([name]) => name)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => ({ pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, detail: `given ${all.length} times` }));
  if (errors.length > 0) throw new Refusal('invalid', errors.map((one) => `${one.pointer}: ${one.detail}`).join('; '), { errors });
  return Object.fromEntries(given);
}

/** Reads the body of a call for its verifier and its handler. */
function bodyReader(request: HttpRequest): BodyReader {
  const read = new Map<Route, unknown>();
  return <T extends Route>(route: T) => {
    if (!read.has(route)) read.set(route, route.body && checked(route.body, bodyOf(request)));
    return read.get(route) as BodyOf<T>;
  };
}

/**
 * A body as JSON. A call without a body and without a type has an object without fields. A page of another site may
 * send that, but never with a token or a signature: for those its browser asks first, as for JSON, and Muster never
 * allows it (https://fetch.spec.whatwg.org/#cors-preflight-fetch).
 */
function bodyOf(request: HttpRequest): unknown {
  const type = request.header('content-type');
  if (request.body === '' && type === undefined) return {};
  if (!/^application\/json\s*(;|$)/i.test(type ?? ''))
    throw new Refusal('unsupported-media-type', `the body is ${type ?? 'of no type'}: send application/json`);
  return request.body === '' ? {} : parseBody(request.body);
}

function checked(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const read = schema.safeParse(value);
  if (!read.success) throw refusalOf(read.error);
  return read.data;
}

/**
 * A plan with its answer, which commits the answer together with its changes. If the function dies before it answers,
 * the answer is stored all the same, and a repeat of the call does nothing twice. It is for handlers that would do
 * something twice; others may repeat their work, which then changes nothing.
 */
export const answering = <P extends Plan>(shell: Shell, plan: P, answer: Answer): P & { readonly answer: Answer } => {
  const remembered = shell.answering?.(replyOf(answer));
  return { ...plan, answer, changes: remembered ? [...plan.changes, remembered] : plan.changes };
};

const replyOf = ({ status, body, text, headers, cookies }: Answer): Reply => {
  const head = { status, ...(cookies && { cookies }) };
  if (text !== undefined) return { ...head, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: text };
  if (body === undefined) return { ...head, headers: headers ?? {} };
  return { ...head, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
};

/**
 * The answer to a call that was refused or failed: the refusal as problem+json; a transient failure as 503; anything
 * else as 500, logged with the call's id.
 */
export const refuse = (error: unknown, request: Pick<HttpRequest, 'id' | 'method' | 'path'>, shell: Shell): Reply =>
  refused(refusalFor(error, request, shell), request);

const refused = (refusal: Refusal, { id }: Pick<HttpRequest, 'id'>): Reply => ({
  status: problems[refusal.type][0],
  headers: { 'content-type': 'application/problem+json', ...refusal.headers },
  body: JSON.stringify(problemOf(refusal, id)),
});

function refusalFor(error: unknown, request: Pick<HttpRequest, 'id' | 'method' | 'path'>, shell: Shell): Refusal {
  const fields = { id: request.id, method: request.method, path: request.path };
  if (error instanceof Refusal) {
    shell.log('debug', 'door.refused', { ...fields, type: error.type });
    return error;
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof Later) {
    shell.log('warn', 'door.refused', { ...fields, type: error.code, detail });
    return new Refusal('busy', 'Muster is busy: try again', { headers: { 'retry-after': '2' } });
  }
  shell.log('error', 'door.failed', { ...fields, detail, stack: error instanceof Error ? error.stack : undefined });
  return new Refusal('unexpected', 'an unexpected error occurred: look up the instance of this answer in the log');
}

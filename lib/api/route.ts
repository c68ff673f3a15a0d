import type * as z from 'zod';
import type { AdminScope } from '../identity/rights.ts';
import type { ProblemType } from './problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/**
 * Who may call: a machine, an administrator or automation with this scope, or anyone, such as a person about to sign
 * in.
 */
export type Scope = 'node' | 'client' | AdminScope | 'anyone';

/** One route: everything that router, client and OpenAPI document need to know about it. */
export type Route<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> = {
  readonly method: Method;
  /** With parameters in braces: `/nodes/{id}/up`. */
  readonly path: string;
  readonly summary: string;
  readonly scope: Scope;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The body of a success; absent when it has none. */
  readonly reply?: R;
  /** Media type of a success, when it is not JSON. */
  readonly replyType?: 'text/plain' | 'text/html';
  /** Statuses of success; the first is the usual one. */
  readonly statuses: readonly number[];
  readonly errors: readonly ProblemType[];
  /** The answer holds a secret that appears once: it is not remembered under an Idempotency-Key. */
  readonly secret?: true;
  /** The answer holds for a moment: it is not remembered under an Idempotency-Key, and the call is safe to repeat. */
  readonly momentary?: true;
  /** The answer carries an ETag of the editable fields, and edits take If-Match. */
  readonly etag?: true;
};

/** Declares a route and keeps its types. */
export const route = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  declared: Route<P, Q, B, R>,
): Route<P, Q, B, R> => declared;

/** The types of a call: as the handler of a route receives them, and as a client sends them. */
export type ParamsOf<T> = T extends Route<infer P, infer _Q, infer _B, infer _R> ? z.infer<P> : never;
export type QueryOf<T> = T extends Route<infer _P, infer Q, infer _B, infer _R> ? z.infer<Q> : never;
export type BodyOf<T> = T extends Route<infer _P, infer _Q, infer B, infer _R> ? z.infer<B> : never;
export type ReplyOf<T> = T extends Route<infer _P, infer _Q, infer _B, infer R> ? z.infer<R> : never;
/** The body that a caller may send: before the schema has transformed it. */
export type BodyInputOf<T> = T extends Route<infer _P, infer _Q, infer B, infer _R> ? z.input<B> : never;
/** The parameters and the query that a caller may send, as {@link BodyInputOf}. */
export type ParamsInputOf<T> = T extends Route<infer P, infer _Q, infer _B, infer _R> ? z.input<P> : never;
export type QueryInputOf<T> = T extends Route<infer _P, infer Q, infer _B, infer _R> ? z.input<Q> : never;

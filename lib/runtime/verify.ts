import type { BodyOf, Route } from '../api/route.ts';
import type { HttpRequest } from './function.ts';
import type { Actor, Shell } from './shell.ts';

/**
 * The caller, as far as an endpoint could verify it; `actor` is who the changes of the call are recorded for, if
 * anyone.
 */
export type Caller = { readonly who: string; readonly source: string; readonly actor?: Actor };

/** An unverified caller. */
export type Anyone = { readonly who: 'anyone'; readonly source: string };

/**
 * The body of a call as its route describes it; parsed at the first call, and never twice. Throws a Refusal for an
 * invalid body.
 */
export type BodyReader = <T extends Route>(route: T) => BodyOf<T>;

/**
 * Verifies the caller of a route, before its parameters, query and body are parsed. Throws a Refusal for a caller
 * without the right. `params` are the decoded parts of the path; `bodyFor` is for callers that their body identifies.
 */
export type Verify<C extends Caller> = (
  request: HttpRequest,
  route: Route,
  params: Readonly<Record<string, string>>,
  shell: Shell,
  bodyFor: BodyReader,
) => C | Promise<C>;

/** Accepts every caller: for endpoints without verification. */
export const anyone: Verify<Anyone> = ({ source }) => ({ who: 'anyone', source });

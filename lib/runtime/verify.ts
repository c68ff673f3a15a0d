import type { BodyOf, Route } from '../api/route.ts';
import type { HttpRequest } from './function.ts';
import type { Actor, Shell } from './shell.ts';

/**
 * Who is calling, as far as a door could prove it; `actor` when what the call changes is to be put down to somebody.
 */
export type Caller = { readonly who: string; readonly source: string; readonly actor?: Actor };

/** Somebody who proved nothing. */
export type Anyone = { readonly who: 'anyone'; readonly source: string };

/**
 * The body of a call as its route describes it; parsed when it is first asked for, and never twice. Throws a Refusal
 * for what is none.
 */
export type BodyReader = <T extends Route>(route: T) => BodyOf<T>;

/**
 * Proves who calls a route, before its parameters, query and body are parsed. Throws a Refusal for whoever may not.
 * `params` are as they stand in the path, decoded; `bodyFor` is for callers who are known by what their body says.
 */
export type Verify<C extends Caller> = (
  request: HttpRequest,
  route: Route,
  params: Readonly<Record<string, string>>,
  shell: Shell,
  bodyFor: BodyReader,
) => C | Promise<C>;

/** Takes everybody: for a door whose routes ask nobody who they are. */
export const anyone: Verify<Anyone> = ({ source }) => ({ who: 'anyone', source });

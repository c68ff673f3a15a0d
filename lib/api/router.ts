import type { Method, Route } from './route.ts';

/** The match of a path: the route's name and its raw parameters, or the methods that the path has. */
export type Match =
  | { readonly name: string; readonly params: Readonly<Record<string, string>> }
  | { readonly allow: readonly (Method | 'HEAD')[] }
  | undefined;

type Compiled = {
  readonly name: string;
  readonly method: Method;
  readonly segments: readonly string[];
  /** Its path without the names of its parameters: routes of one resource have the same. */
  readonly resource: string;
  readonly literals: number;
};

/** The method of the route that answers a call: HEAD is GET without its body (RFC 9110, 9.3.2). */
export const routeMethod = (method: string): string => (method === 'HEAD' ? 'GET' : method);

/**
 * Matches calls to routes by method and path. A path belongs to one resource, the one that spells out most of its
 * segments: `/systems/accept` is not a client system, whatever the method. HEAD matches as GET does.
 */
export function router(routes: Readonly<Record<string, Route>>): (method: string, path: string) => Match {
  const compiled = Object.entries(routes)
    .map(([name, { method, path }]): Compiled => {
      const segments = path.split('/').slice(1);
      const resource = segments.map((segment) => (segment.startsWith('{') ? '{}' : segment));
      return { name, method, segments, resource: resource.join('/'), literals: resource.filter((segment) => segment !== '{}').length };
    })
    .sort((a, b) => b.literals - a.literals);
  return (method, path) => {
    const given = path.split('/').slice(1);
    const matching = compiled.filter(
      ({ segments }) =>
        segments.length === given.length &&
        segments.every((segment, i) => segment === given[i] || (segment.startsWith('{') && given[i] !== '')),
    );
    const methods = matching.filter(({ resource }) => resource === matching[0]!.resource);
    const found = methods.find((route) => route.method === routeMethod(method));
    if (found) return { name: found.name, params: paramsOf(found.segments, given) };
    return methods.length > 0
      ? { allow: methods.flatMap((route): (Method | 'HEAD')[] => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])) }
      : undefined;
  };
}

function paramsOf(segments: readonly string[], given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  segments.forEach((segment, i) => {
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = decoded(given[i]!);
  });
  return params;
}

/** A decoded segment. An invalid encoding stays as it is, and its schema refuses it. */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

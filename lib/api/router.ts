import type { Method, Route } from './route.ts';

/** What a path matched: the route's name and its raw parameters; or the methods that the path does have. */
export type Match =
  | { readonly name: string; readonly params: Readonly<Record<string, string>> }
  | { readonly allow: readonly Method[] }
  | undefined;

type Compiled = { readonly name: string; readonly method: Method; readonly segments: readonly string[]; readonly literals: number };

/** Matches calls to routes by method and path; literal segments win over parameters. */
export function router(routes: Readonly<Record<string, Route>>): (method: string, path: string) => Match {
  const compiled = Object.entries(routes)
    .map(([name, { method, path }]): Compiled => {
      const segments = path.split('/').slice(1);
      return { name, method, segments, literals: segments.filter((segment) => !segment.startsWith('{')).length };
    })
    .sort((a, b) => b.literals - a.literals);
  return (method, path) => {
    const given = path.split('/').slice(1);
    const matching = compiled.filter(
      ({ segments }) =>
        segments.length === given.length &&
        segments.every((segment, i) => segment === given[i] || (segment.startsWith('{') && given[i] !== '')),
    );
    const found = matching.find((route) => route.method === method);
    if (found) return { name: found.name, params: paramsOf(found.segments, given) };
    return matching.length > 0 ? { allow: [...new Set(matching.map((route) => route.method))] } : undefined;
  };
}

function paramsOf(segments: readonly string[], given: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  segments.forEach((segment, i) => {
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = decoded(given[i]!);
  });
  return params;
}

/** A segment decoded; one that is no valid encoding stays as it is, and its schema refuses it. */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

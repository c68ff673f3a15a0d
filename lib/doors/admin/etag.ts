import { Refusal } from '../../api/problem.ts';
import type { HttpRequest } from '../../runtime/function.ts';

/** The ETag of a row at a revision. */
export const etagOf = (rev: number): string => `"${rev}"`;

/** Throws a {@link Refusal} when the caller edits a version that is no longer the newest; without If-Match anything goes. */
export function refuseStale(request: HttpRequest, rev: number): void {
  const wanted = request.header('if-match');
  if (wanted !== undefined && wanted !== '*' && wanted !== etagOf(rev))
    throw new Refusal('version-conflict', `it is at version ${etagOf(rev)}, not ${wanted}`, { headers: { etag: etagOf(rev) } });
}
